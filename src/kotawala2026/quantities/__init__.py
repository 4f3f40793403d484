"""The paper's quantities, one idea a module, registered for their grounds."""
