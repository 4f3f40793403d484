/** Reads the form of calculator.html, asks LlmPower, and shows the answer. */
(() => {
  "use strict";
  const { TEST_NAMES, admissibleDiscordance, admissibleRho, answer, article, designEffect, familySize, general,
    points, whole } = LlmPower;
  const form = document.querySelector("form");
  const fields = [...form.querySelectorAll(".field")].map((box) => ({
    box,
    input: box.querySelector("input, select"),
    of: box.dataset.of?.split(" "),
  }));
  const show = (id) => document.getElementById(id);
  // What a way of asking starts from: the worked plans of docs/planning.md.
  const EXAMPLES = {
    accuracies: { p_a: "0.65", p_b: "0.60", rho: "0.30" },
    counts: { b: "295", c: "249", n: "10042" },
    gap: { gap: "0.02", discordance: "0.1" },
    items: { n: "2000", discordance: "0.1" },
    repeats: { gap: "0.05", between: "0.11", within_a: "0.17", repeats_a: "10" },
  };
  // The command takes items there only where they are what is asked about.
  const ALSO_AT_HAND = ["accuracies", "gap"];

  const given = () => {
    const know = form.elements.know.value;
    const asked = fields.filter(({ of }) => !of || of.includes(know)).map(({ input }) => [input.name, input.value.trim()]);
    return { know, ...Object.fromEntries(asked) };
  };

  /** What differs from the defaults, by name. */
  const stated = (asked) =>
    Object.entries(asked).filter(([name, value]) => value !== "" && value !== form.elements[name].dataset?.default);

  const commandOf = (asked) => {
    const options = stated(asked)
      .filter(([name]) => name !== "know" && !(name === "n" && ALSO_AT_HAND.includes(asked.know)))
      .map(([name, value]) => `--${name.replace("_", "-")} ${value}`);
    return ["llm-power plan", ...options].join(" ");
  };

  // ---------------------------------------------------------------- what is shown

  const element = (tag, content, attributes = {}) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...[content].flat());
    return made;
  };

  const table = (title, head, rows) => {
    const row = (cells, tag, taken) =>
      element("tr", cells.map((cell, i) => {
        const made = element(i ? tag : "th", cell);
        if (tag === "th" || !i) made.scope = tag === "th" ? "col" : "row";
        return made;
      }), { className: taken ? "taken" : "" });
    const caption = element("h2", title);
    const body = element("tbody", rows.map(({ cells, taken }) => row(cells, "td", taken)));
    const made = element("table", [element("thead", row(head, "th")), body]);
    made.setAttribute("aria-label", title);
    return element("div", [caption, made]);
  };

  const plansOf = (found) =>
    "most" in found ? [found.fewest, found.most] : "plan" in found ? [found.plan] : [found];

  const requiredTable = (plans) => {
    const last = plans.at(-1), { question } = last;
    const row = (label, value, taken) => ({ cells: [label, ...plans.map((plan) => whole(value(plan)))], taken });
    const byItems = last.decided_as === "different" && last.clusters === null;
    const rows = Object.entries(TEST_NAMES)
      .map(([test, name]) => row(name, (plan) => plan[test], byItems && test === question.test));
    if (question.models !== null) rows.push(row(`${TEST_NAMES[question.test]}, Holm`, (plan) => plan.holm));
    if (last.clusters !== null) {
      rows.push(row(`test by clusters, ${whole(last.clusters.n_clusters)} clusters`,
        ({ clusters }) => clusters.per_cluster * clusters.n_clusters, last.decided_as === "different"));
    }
    if (question.margin !== null) {
      rows.push(row("two one-sided tests", (plan) => plan.equivalence, last.decided_as === "equivalent"));
    }
    rows.push(row("N*, eq. (6)", (plan) => plan.n_star), row("Connor's formula", (plan) => plan.closed.connor));
    const head = plans.length > 1 ? ["highest correlation", "lowest correlation"] : ["items"];
    return table("Items that are required", ["test", ...head], rows);
  };

  const closedTable = (plan, known, several) => {
    const { closed, clusters, question } = plan;
    const rows = [["σ of a difference", general(closed.sigma_d), known === "repeats" ? "Miller (9)" : "(5)"]];
    rows.push(["N*, not rounded", general(closed.n_star, 8), known === "repeats" ? "Miller (9)" : "(6)"]);
    if (closed.mde !== null) {
      rows.push(["gap resolved", points(closed.mde, true), known === "repeats" ? "Miller (10)" : "(4)"]);
      rows.push(["q = n/N*", general(closed.q, 4), "definition 1"]);
    }
    if (familySize(question) > 1) rows.push(["level of each pair", general(plan.level, 4), question.models ? "max-T" : "Bonferroni"]);
    if (clusters) {
      const size = Number.isFinite(clusters.per_cluster) ? clusters.per_cluster : clusters.size;
      rows.push([`design effect, m = ${whole(size)}`, general(designEffect(size, question.icc), 4), "section 6.4"]);
    }
    return table(several ? "Closed forms, lowest correlation" : "Closed forms", ["by the normal law", "", "equation"], rows.map((cells) => ({ cells })));
  };

  const waysTable = ({ ways, n_clusters }) =>
    table("Clusters and items", ["clusters", "items of each", "in all"],
      ways.map(([k, size]) => ({ cells: [whole(k), whole(size), whole(k * size)], taken: k === n_clusters })));

  const errorsTable = ({ sizes }) =>
    table("Power, and what a significant gap says", ["items run", "power", "wrong sign", "exaggerated"],
      sizes.map(({ n_items, power, type_s, type_m }) => ({
        cells: [whole(n_items), power.toFixed(2), type_s === null ? "" : general(type_s, 2), type_m?.toFixed(2) ?? ""],
      })));

  const repeatsTable = ({ ways, gaps }) =>
    table("Answers and items", ["answers of each model", gaps.length ? "finds" : "items"],
      (gaps.length ? gaps : ways).map(([k, value]) => ({
        cells: [Number.isFinite(k) ? whole(k) : "ever more", gaps.length ? points(value, true) : whole(value)],
      })));

  const levelWords = (plan) => {
    const { question, level } = plan, base = `two-sided level ${general(question.alpha)}`;
    if (familySize(question) === 1) return base;
    const how = question.models ? "max-T" : "Bonferroni and Holm";
    return `${base} of ${whole(familySize(question))} pairs, ${general(level, 3)} of each by ${how}`;
  };

  const percent = (share) => `${general(100 * share, 3)}%`;

  const assumed = (found, plans) => {
    const plan = plans.at(-1), level = levelWords(plan);
    if ("repeats_a" in found) {
      return `Assumed: variance ${general(found.between, 4)} between items, ${general(found.within_a, 4)} of an `
        + `answer of A and ${general(found.within_b, 4)} of B; ${level}.`;
    }
    const { p10, p01 } = plan.pair;
    if (plans.length > 1) {
      const least = plans[0].pair.p10 + plans[0].pair.p01;
      return `Assumed: a gap of ${points(p10 - p01)}, at ${percent(least)} to ${percent(p10 + p01)} of items that `
        + `one model alone solves; ${level}.`;
    }
    return `Assumed: A alone solves ${percent(p10)} of the items, B alone ${percent(p01)}; ${level}.`;
  };

  const notes = (found, plans) => {
    const plan = plans.at(-1), said = [];
    if ("repeats_a" in found) return said;
    if (plan.sizes.length && plans.length === 1) {
      said.push("A gap that fewer items find significant has the wrong sign that often, and is on average that "
        + "many times the true one.");
    }
    if (plan.power_at_n_star !== null && plan.clusters === null) {
      said.push(`N* takes one variance for both hypotheses and no whole counts: the ${article(plan.question.test)} `
        + `has power ${plan.power_at_n_star.toFixed(3)} there.`);
    }
    if (plan.question.models !== null) said.push("Max-T takes all models to be equally accurate and equally correlated.");
    if (plan.at_hand && !("plan" in found)) {
      const { n_items, power, detectable } = plan.at_hand;
      const at = plans.length > 1 ? ", at the lowest correlation" : "";
      const thisGap = power === null ? "" : `this gap with power ${power.toFixed(3)}${at}, and `;
      said.push(`The ${whole(n_items)} items at hand find ${thisGap}` + (detectable === Infinity ? "no gap of this discordance."
        : `gaps of ${points(detectable, true)} or more with power ${general(plan.question.power)}.`));
    }
    return said;
  };

  const details = (found, known) => {
    const plans = plansOf(found), plan = plans.at(-1);
    const tables = known === "repeats" ? [repeatsTable(found)] : [requiredTable(plans)];
    if (plan.clusters) tables.push(waysTable(plan.clusters));
    if (plan.sizes?.length && plans.length === 1) tables.push(errorsTable(plan));
    tables.push(closedTable(plan, known, plans.length > 1));
    show("assumed").textContent = assumed(found, plans);
    show("tables").replaceChildren(...tables);
    show("notes").replaceChildren(...notes(found, plans).map((note) => element("p", note)));
  };

  /** What the accuracies, or the gap, admit; nothing while they are no such thing. */
  const hint = ({ p_a, p_b, gap }) => {
    const [a, b] = [p_a, p_b].map((text) => text ? Number(text) : NaN);
    const known = [a, b].every((p) => p >= 0 && p <= 1);
    const range = ([low, high]) => `: ${general(low)} to ${general(high)}`;
    const equal = () => admissibleDiscordance(a, b).map((d) => 1 - d).reverse();
    const size = Math.abs(gap ? Number(gap) : NaN);
    show("rho-hint").textContent = `of the scores, if known${known ? range(admissibleRho(a, b)) : ""}`;
    show("agreement-hint").textContent = `same outcome, if known${known ? range(equal()) : ""}`;
    show("discordance-hint").textContent = `items that one model alone solves${size <= 1 ? range([size, 1]) : ""}`;
  };

  const mark = (field = null, message = "") => {
    for (const { input } of fields) {
      const wrong = input.name === field;
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      show(`${input.name}-error`).textContent = wrong ? message : "";
    }
  };

  const update = () => {
    const asked = given();
    for (const { box, of } of fields) box.hidden = Boolean(of) && !of.includes(asked.know);
    show("n-hint").textContent = ALSO_AT_HAND.includes(asked.know) ? "if known: what can they see?"
      : asked.know === "repeats" ? "in place of the gap" : "";
    hint(asked);
    const state = `#${new URLSearchParams(stated(asked))}`;
    // Browsers let a page change its address only so often.
    if (state !== location.hash) history.replaceState(null, "", state);
    mark();
    let found = null;
    try {
      found = answer(asked);
    } catch (error) {
      if (!(error instanceof LlmPower.Refused)) throw error;
      mark(error.field, error.message);
    }
    show("details").hidden = found === null;
    show("sentence").textContent = found?.sentence ?? "No plan yet: the form says what is missing or cannot be.";
    show("command").textContent = commandOf(asked);
    if (found) details(found, asked.know);
    // For tests, and for whoever opens the console.
    LlmPower.shown = found;
  };

  const fill = (state) => {
    const know = state.know in EXAMPLES ? state.know : "accuracies";
    for (const radio of form.elements.know) radio.checked = radio.value === know;
    for (const { input } of fields) input.value = state[input.name] ?? input.dataset.default ?? "";
    update();
  };

  const read = () => {
    const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    fill(Object.keys(state).length ? state : { know: "accuracies", ...EXAMPLES.accuracies });
  };

  let waiting = 0;
  form.addEventListener("input", ({ target }) => {
    if (target.name === "know") {
      const kept = Object.fromEntries(fields.filter(({ of }) => !of).map(({ input }) => [input.name, input.value]));
      fill({ ...kept, know: target.value, ...EXAMPLES[target.value] });
      return;
    }
    clearTimeout(waiting);
    waiting = setTimeout(update, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
  addEventListener("hashchange", read);
  // The site's own choice of light or dark; from disk it may be refused.
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* as the system has it */ }
  show("site").hidden = !location.protocol.startsWith("http");
  read();
})();
