def exhibit_files():
    return []
