(() => {
  "use strict";
  // Letters without case or accents, digits without thousands separators.
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\u2212/g, "-")
    .replace(/(\d),(?=\d{3})/g, "$1").toLowerCase();

  // Of no use without this script, and a tenth of the page if it stood there.
  const addToggle = (body, number) => {
    const button = document.createElement("button");
    const [text, more] = [body.querySelector("th"), body.querySelector(".more")];
    text.id = `text/${number}`;
    more.id = `more/${number}`;
    button.type = "button";
    button.className = "toggle";
    button.tabIndex = -1;
    button.setAttribute("aria-label", "Details");
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", more.id);
    button.setAttribute("aria-describedby", text.id);
    body.querySelector(".c-evidence").append(button);
    return button;
  };

  addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector(".filters");
    const search = form.elements.q;
    const selects = [...form.querySelectorAll("select")];
    const shown = document.getElementById("shown");
    const nothing = document.getElementById("nothing");
    const keys = document.getElementById("keys");
    const totals = [...document.querySelectorAll("a.total")];
    const rows = [...document.querySelectorAll("tbody.claim")].map((body, number) => {
      const card = document.getElementById(body.dataset.card);
      const text = body.textContent + (card ? card.textContent : "");
      return { body, button: addToggle(body, number), text: fold(text) };
    });
    const byBody = new Map(rows.map((row) => [row.body, row]));
    let current = null;

    const query = () => {
      const params = new URLSearchParams();
      for (const field of [search, ...selects]) {
        const value = field.value.trim();
        if (value) params.set(field.name, value);
      }
      return params;
    };

    const enter = (row) => {
      if (current) current.button.tabIndex = -1;
      current = row;
      if (row) row.button.tabIndex = 0;
    };

    // To lay out a thousand rows takes longer than a keystroke may. Those that come back do so
    // where they can be seen; the others, which assistive technology needs too, bit by bit.
    let layout = 0;
    const layOut = () => {
      const waiting = document.getElementsByClassName("later");
      for (const body of [...waiting].slice(0, 40)) body.classList.remove("later");
      if (waiting.length) layout = setTimeout(layOut, 20);
    };

    const filter = () => {
      const wanted = selects.filter((select) => select.value);
      const words = fold(search.value).split(/\s+/).filter(Boolean);
      let count = 0;
      for (const { body, text } of rows) {
        const fits = wanted.every((select) => body.dataset[select.name] === select.value)
          && words.every((word) => text.includes(word));
        if (body.hidden === fits) {
          body.hidden = !fits;
          body.classList.toggle("later", fits);
        }
        count += fits;
      }
      shown.value = `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} claims shown`;
      nothing.hidden = count > 0;
      clearTimeout(layout);
      layout = setTimeout(layOut, 200);
      if (!current || current.body.hidden) enter(rows.find((row) => !row.body.hidden) ?? null);
      const state = `#?${query()}`;
      for (const link of totals) {
        if (state !== "#?" && link.getAttribute("href") === state) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    };

    // The address follows the filters, and the filters follow the address.
    const write = () => {
      const params = query().toString();
      history.replaceState(null, "", params ? `#?${params}` : location.pathname + location.search);
    };
    let timer = 0;
    const changed = () => {
      filter();
      clearTimeout(timer);
      timer = setTimeout(write, 150);
    };
    const clear = () => {
      form.reset();
      changed();
    };

    const toggle = (row, open = !row.body.classList.contains("open")) => {
      row.body.classList.toggle("open", open);
      row.button.setAttribute("aria-expanded", String(open));
    };
    const go = (row) => {
      enter(row);
      row.button.focus({ preventScroll: true });
      row.body.scrollIntoView({ block: "nearest" });
    };
    const move = (step) => {
      const visible = rows.filter((row) => !row.body.hidden);
      if (!visible.length) return;
      const inside = current && current.body.contains(document.activeElement);
      const next = inside ? visible.indexOf(current) + step : visible.indexOf(current);
      go(visible[Math.min(Math.max(next, 0), visible.length - 1)]);
    };

    const follow = () => {
      clearTimeout(timer);
      const hash = location.hash.slice(1);
      if (hash.startsWith("?")) {
        const params = new URLSearchParams(hash.slice(1));
        search.value = params.get("q") ?? "";
        for (const select of selects) {
          const value = params.get(select.name) ?? "";
          select.value = [...select.options].some((option) => option.value === value) ? value : "";
        }
        filter();
        document.getElementById("claims").scrollIntoView();
        return;
      }
      const row = byBody.get(document.getElementById(hash));
      if (row) {
        if (row.body.hidden) form.reset();
        toggle(row, true);
      }
      filter();
      if (row) {
        enter(row);
        row.body.scrollIntoView();
      }
    };

    search.addEventListener("input", changed);
    form.addEventListener("change", changed);
    form.addEventListener("reset", () => setTimeout(changed));
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", follow);
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#?']");
      // The same address twice is no change of address.
      if (link && link.hash === location.hash) follow();
    });
    document.querySelector("table.claims").addEventListener("click", (event) => {
      const row = byBody.get(event.target.closest("tbody"));
      const control = event.target.closest("a, button");
      if (!row || (control && control !== row.button) || event.target.closest(".more")) return;
      if (!control && !getSelection().isCollapsed) return;
      enter(row);
      toggle(row);
    });

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
      const active = document.activeElement;
      const typing = active === search;
      if (event.key === "Escape") return clear();
      if (typing && (event.key === "ArrowDown" || event.key === "Enter")) {
        event.preventDefault();
        return move(0);
      }
      if (typing || active.matches("select")) return;
      const inTable = active.closest("tbody.claim") !== null;
      const steps = { j: 1, k: -1, ...(inTable && { ArrowDown: 1, ArrowUp: -1 }) };
      if (event.key in steps) {
        event.preventDefault();
        move(steps[event.key]);
      } else if (event.key === "/") {
        event.preventDefault();
        search.focus();
        search.select();
      } else if (event.key === "?") {
        event.preventDefault();
        keys.showModal();
      }
    });

    document.getElementById("help").addEventListener("click", () => keys.showModal());
    keys.addEventListener("click", (event) => { if (event.target === keys) keys.close(); });

    follow();
  });
})();
