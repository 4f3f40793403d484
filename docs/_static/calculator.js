/**
 * Reads the form of calculator.html, answers in closed form, and shows the answer.
 *
 * A gap and a share are in score units: .01 is one point. Numbers of equations are Kotawala's (2026)
 * where no other source is named.
 */
const Calculator = (() => {
  "use strict";
  const { ndtri, zSum, asItems, count, h, head } = Page;

  /** What cannot be asked, and the field that says so. */
  class Refused extends Error {
    constructor(field, message) {
      super(message);
      this.field = field;
    }
  }

  // Rounded inputs on an edge may lie beyond it by an error of representation.
  const EDGE = 1e-12;

  // ---------------------------------------------------------------- closed forms

  /** Interval of correlations that two accuracies admit, eqs. (7) and (8). */
  const admissibleRho = (pA, pB) => {
    if (pA * (1 - pA) * pB * (1 - pB) === 0) return [0, 0];
    const root = (a, b) => Math.sqrt(Math.min(a, b) / Math.max(a, b));
    return [-root(pA * pB, (1 - pA) * (1 - pB)), root(pA * (1 - pB), (1 - pA) * pB)];
  };

  /** Least and most discordance of two accuracies, after Hoeffding and Fréchet. */
  const admissibleDiscordance = (pA, pB) => [Math.abs(pA - pB), Math.min(pA + pB, 2 - pA - pB)];

  /** Variance of the paired difference of one item, eq. (5). */
  const pairedVariance = (pA, pB, rho) => {
    const [a, b] = [pA * (1 - pA), pB * (1 - pB)];
    return Math.max(a + b - 2 * rho * Math.sqrt(a * b), 0);
  };

  /** N*, eqs. (3) and (6), not rounded. */
  const requiredN = (gap, variance, { level, power }) =>
    gap === 0 ? Infinity : zSum(level, power) ** 2 * variance / (gap * gap);

  /** Smallest gap that n items resolve, eq. (4). */
  const detectableGap = (n, variance, { level, power }) => zSum(level, power) * Math.sqrt(variance / n);

  /** Items of McNemar's score test, with one variance a hypothesis (Connor 1987). */
  const connorRequiredN = (gap, discordance, { level, power }) => {
    if (gap === 0) return Infinity;
    const rest = Math.sqrt(Math.max(discordance - gap * gap, 0));
    return ((ndtri(power) * rest - ndtri(level / 2) * Math.sqrt(discordance)) / gap) ** 2;
  };

  /** Items of the exact test: Connor's with the correction for continuity. */
  const exactRequiredN = (gap, discordance, law) => {
    const n = connorRequiredN(gap, discordance, law);
    return n === Infinity ? n : n / 4 * (1 + Math.sqrt(1 + 4 / (n * Math.abs(gap)))) ** 2;
  };

  /** Gap of which `exactRequiredN` is n, at a discordance; Infinity where all of it is not enough. */
  const exactDetectableGap = (n, discordance, law) => {
    let [low, high] = [0, discordance];
    if (discordance === 0 || exactRequiredN(high, discordance, law) > n) return Infinity;
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (exactRequiredN(middle, discordance, law) > n) low = middle;
      else high = middle;
    }
    return high;
  };

  /** What Student's t adds to the items of the normal law (Guenther 1981). */
  const studentExtra = ({ level }) => ndtri(level / 2) ** 2 / 2;

  // ---------------------------------------------------------------- what is asked

  const refuse = (wrong, field, message) => {
    if (wrong) throw new Refused(field, message);
  };

  /** The number in a field, within [low, high]; `missing` where it is empty, if it may be. */
  const read = (given, field, low, high, { missing, whole = false } = {}) => {
    const text = given[field] ?? "";
    if (text === "" && missing !== undefined) return missing;
    refuse(text === "", field, `${field} is missing`);
    const value = Number(text);
    refuse(!Number.isFinite(value), field, `${field} must be a number, got "${text}"`);
    refuse(whole && !Number.isInteger(value), field, `${field} must be a whole number, got ${text}`);
    const range = high === Infinity ? `be at least ${low}` : `lie in [${low}, ${high}]`;
    refuse(value < low || value > high, field, `${field} must ${range}, got ${text}`);
    return value;
  };
  const items = (given, field, low, options = {}) => read(given, field, low, Infinity, { whole: true, ...options });

  /** Level of each pair (Bonferroni's) and power. */
  const lawOf = (given) => {
    const alpha = read(given, "alpha", 0, 1), power = read(given, "power", 0, 1);
    refuse(alpha === 0 || alpha === 1, "alpha", `alpha must lie strictly between 0 and 1, got ${alpha}`);
    refuse(power <= alpha || power === 1, "power", `power must lie in (${alpha}, 1), above alpha, got ${power}`);
    return { level: alpha / items(given, "comparisons", 1), power };
  };

  const discordanceOf = (given, pA, pB) => {
    const rho = read(given, "rho", -1, 1, { missing: null });
    const agreement = read(given, "agreement", 0, 1, { missing: null });
    const [least, most] = admissibleDiscordance(pA, pB), gap = pA - pB;
    const within = (field, value, [low, high]) =>
      refuse(!(value >= low - EDGE && value <= high + EDGE), field,
        `${field} must lie in [${general(low)}, ${general(high)}] for p_a=${pA} and p_b=${pB}, got ${value}`);
    if (rho === null && agreement === null) return null;
    refuse(rho !== null && agreement !== null, "agreement", "give rho or agreement, one of the two");
    if (rho === null) within("agreement", agreement, [1 - most, 1 - least]);
    else within("rho", rho, admissibleRho(pA, pB));
    // Eq. (5) is the discordance less the squared gap.
    const discordance = rho === null ? 1 - agreement : pairedVariance(pA, pB, rho) + gap * gap;
    return Math.min(Math.max(discordance, least), most);
  };

  // ---------------------------------------------------------------- answers

  const general = (value, digits = 6) => String(Number(value.toPrecision(digits)));
  const points = (gap) => {
    const text = general(100 * Math.abs(gap), 3);
    return `${text} point${text === "1" ? "" : "s"}`;
  };
  const percent = (share) => `${general(100 * share, 3)}%`;

  const planOf = (gap, discordance, law, n = null) => {
    const variance = Math.max(discordance - gap * gap, 0), nStar = requiredN(gap, variance, law);
    return {
      gap,
      discordance,
      exact: exactRequiredN(gap, discordance, law),
      score: connorRequiredN(gap, discordance, law),
      n_star: nStar,
      ...(n !== null && { mde: detectableGap(n, variance, law), q: n / nStar }),
    };
  };

  const rowsOf = (...plans) => {
    const row = (label, name, write) => name in plans[0] ? [[label, ...plans.map((plan) => write(plan[name]))]] : [];
    return [
      ...row("exact McNemar test, corrected", "exact", asItems),
      ...row("McNemar's score test, Connor", "score", asItems),
      ...row("N*, normal approximation", "n_star", asItems),
      ...row("gap resolved by the items, eq. (4)", "mde", points),
      ...row("q = n/N*", "q", (q) => general(q, 4)),
    ];
  };

  const alone = ({ gap, discordance }) =>
    `A alone solves ${percent((discordance + gap) / 2)} of the items, B alone ${percent((discordance - gap) / 2)}`;

  const pairAnswer = (plan, law) => ({
    plan,
    sentence: plan.exact === Infinity ? "No number of items separates models whose gap is zero."
      : `Plan about ${count(Math.ceil(plan.exact), "item")}: they detect the gap of `
        + `${points(plan.gap)} with power ${law.power}.`,
    assumed: alone(plan), test: "exact McNemar test",
    head: ["items"],
    rows: rowsOf(plan),
  });

  // What each way of asking needs, and what it answers.
  const ANSWERS = {
    accuracies(given, law) {
      const [pA, pB] = [read(given, "p_a", 0, 1), read(given, "p_b", 0, 1)];
      const [gap, n, discordance] = [pA - pB, items(given, "n", 1, { missing: null }), discordanceOf(given, pA, pB)];
      if (discordance !== null) return pairAnswer(planOf(gap, discordance, law, n), law);
      const [least, most] = admissibleDiscordance(pA, pB).map((share) => planOf(gap, share, law, n));
      const one = pairAnswer(most, law);
      return {
        ...one,
        least,
        sentence: gap === 0 ? one.sentence
          : `Plan about ${count(Math.ceil(most.exact), "item")}: enough at every correlation of the scores that `
            + `the accuracies admit; about ${asItems(least.exact)} suffice at the highest correlation.`,
        assumed: `a gap of ${points(gap)}, at ${percent(least.discordance)} to ${percent(most.discordance)} of items `
          + "that one model alone solves",
        head: ["highest correlation", "lowest correlation"],
        rows: rowsOf(least, most),
      };
    },
    counts(given, law) {
      const [b, c, n] = [items(given, "b", 0), items(given, "c", 0), items(given, "n", 1)];
      refuse(b + c > n, "n", `n must be at least b + c, got ${n}`);
      return pairAnswer(planOf((b - c) / n, (b + c) / n, law, n), law);
    },
    gap(given, law) {
      const gap = read(given, "gap", -1, 1), n = items(given, "n", 1, { missing: null });
      const discordance = read(given, "discordance", 0, 1);
      refuse(discordance < Math.abs(gap) - EDGE, "discordance",
        `discordance must lie in [${general(Math.abs(gap))}, 1] for a gap of ${general(gap)}, got ${discordance}`);
      return pairAnswer(planOf(gap, discordance, law, n), law);
    },
    items(given, law) {
      const n = items(given, "n", 1), discordance = read(given, "discordance", 0, 1);
      const gap = exactDetectableGap(n, discordance, law);
      if (gap === Infinity) {
        return { sentence: `No gap is detectable on ${count(n, "item")} with power ${law.power}: plan more.`,
          assumed: `one model alone solves ${percent(discordance)} of the items`, head: ["items"], rows: [] };
      }
      const plan = planOf(gap, discordance, law, n);
      return { ...pairAnswer(plan, law), sentence: `${count(n, "item")} detect gaps of about ${points(gap)} or more `
        + `with power ${law.power}.` };
    },
    repeats(given, law) {
      const between = read(given, "between", 0, Infinity), withinA = read(given, "within_a", 0, Infinity);
      const withinB = read(given, "within_b", 0, Infinity, { missing: withinA });
      const kA = items(given, "repeats_a", 1, { missing: 1 }), kB = items(given, "repeats_b", 1, { missing: kA });
      const n = items(given, "n", 4, { missing: null }), gap = read(given, "gap", -1, 1, { missing: null });
      refuse((n === null) === (gap === null), "gap", "give gap or n, one of the two");
      // Miller's (2024) eqs. (9) and (10).
      const variance = (a, b) => between + withinA / a + withinB / b;
      refuse(variance(kA, kB) === 0, "between", "between, within_a and within_b must not all be 0");
      const extra = studentExtra(law);
      const value = (a, b) => n === null ? requiredN(gap, variance(a, b), law) + extra : detectableGap(n - extra, variance(a, b), law);
      const plan = value(kA, kB), write = n === null ? asItems : points;
      const answers = kA === kB ? `${count(kA, "answer")} of each model` : `${count(kA, "answer")} of A and ${kB} of B`;
      return {
        plan,
        sentence: plan === Infinity ? "No number of items separates models whose gap is zero."
          : n !== null ? `${count(n, "item")} with ${answers} to each detect gaps of about ${points(plan)} or more with power ${law.power}.`
            : `Plan about ${count(Math.ceil(plan), "item")} with ${answers} to each: they detect the gap of ${points(gap)} with power ${law.power}.`,
        assumed: `variance ${general(between, 4)} between items, ${general(withinA, 4)} of an answer of A and ${general(withinB, 4)} of B`, test: "paired t test",
        head: [n === null ? "items" : "gap detected"],
        rows: [1, 2, 5, 10, Infinity].map((k) => [k === Infinity ? "answers without end" : `${count(k, "answer")} of each model`, write(value(k, k))]),
      };
    },
  };

  // ---------------------------------------------------------------- the page

  const form = document.querySelector("form");
  const show = (id) => document.getElementById(id);
  const fields = [...form.querySelectorAll(".field")].map((box) =>
    ({ box, input: box.querySelector("input"), of: box.dataset.of?.split(" ") }));
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

  /** What the accuracies, or the gap, admit; nothing while they are no such thing. */
  const hint = ({ p_a, p_b, gap }) => {
    const [a, b] = [p_a, p_b].map((text) => text ? Number(text) : NaN), size = Math.abs(gap ? Number(gap) : NaN);
    const known = [a, b].every((p) => p >= 0 && p <= 1);
    const range = ([low, high]) => `: ${general(low)} to ${general(high)}`;
    const agreement = () => admissibleDiscordance(a, b).map((share) => 1 - share).reverse();
    show("rho-hint").textContent = `of the scores, if known${known ? range(admissibleRho(a, b)) : ""}`;
    show("agreement-hint").textContent = `same outcome, if known${known ? range(agreement()) : ""}`;
    show("discordance-hint").textContent = `items that one model alone solves${size <= 1 ? range([size, 1]) : ""}`;
  };

  const mark = (field = null, message = "") => {
    for (const { input } of fields) {
      if (input.name === field) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      show(`${input.name}-error`).textContent = input.name === field ? message : "";
    }
  };

  const update = () => {
    const asked = given();
    for (const { box, of } of fields) box.hidden = Boolean(of) && !of.includes(asked.know);
    hint(asked);
    const state = `#${new URLSearchParams(stated(asked))}`;
    // Browsers let a page change its address only so often.
    if (state !== location.hash) history.replaceState(null, "", state);
    mark();
    let answer = null;
    try {
      const law = lawOf(asked);
      answer = ANSWERS[asked.know](asked, law);
      show("assumed").textContent = `Assumed: ${answer.assumed}; two-sided level ${general(law.level, 4)} of each pair${answer.test ? `; ${answer.test}` : ""}.`;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      mark(error.field, error.message);
    }
    show("details").hidden = answer === null;
    show("sentence").textContent = answer?.sentence ?? "No plan yet: see the marked field.";
    show("command").textContent = commandOf(asked);
    const rows = answer?.rows.map(([label, ...cells]) => h("tr", {}, h("th", { scope: "row" }, label), ...cells.map((cell) => h("td", {}, cell))));
    if (answer) show("table").replaceChildren(head(...["by", ...answer.head].map((text) => [text])), h("tbody", {}, ...rows));
    Calculator.shown = answer;
  };

  const fillForm = (state) => {
    const know = state.know in EXAMPLES ? state.know : "accuracies";
    for (const radio of form.elements.know) radio.checked = radio.value === know;
    for (const { input } of fields) input.value = state[input.name] ?? input.dataset.default ?? "";
    update();
  };

  const follow = () => {
    const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    fillForm(Object.keys(state).length ? state : { know: "accuracies", ...EXAMPLES.accuracies });
  };

  form.addEventListener("input", ({ target }) => {
    if (target.name === "know") fillForm({ know: target.value, ...EXAMPLES[target.value] });
    else update();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  addEventListener("DOMContentLoaded", follow);
  show("site").hidden = !location.protocol.startsWith("http");
  // What is shown, for tests and for whoever opens the console.
  return { shown: null };
})();
