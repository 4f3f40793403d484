(() => {
  "use strict";
  const { ndtri, zSum, grouped, asItems, count, fill, h, s, head } = Page;
  const UNDETERMINED = 0, A_BETTER = 1, B_BETTER = 2, EQUIVALENT = 3;
  const WORDS = ["undetermined", "different", "different", "equivalent"];
  const LEVELS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
  const POWERS = Array.from({ length: 50 }, (_, k) => (50 + k) / 100);
  // Rows that are drawn beyond those in view, and their heights.
  const MANY = 10_000, BEYOND = 8, ROW = 24, TALL_ROW = 44, LISTED = 30;
  // The width of a line of items on a wide screen, and the most rows that browsers save as one picture.
  const PICTURED = 480, MOST_PICTURED = 180;
  const PROCEDURES = {
    verdict: ["Verdict", "the library's verdict"],
    fixed: ["Fixed n", "eq. (6), each pair at the level itself"],
    bonferroni: ["Bonferroni", "the level over the number of pairs"],
    sidak: ["Šidák", "Šidák's level of each pair"],
    holm: ["Holm", "Holm's steps"],
    bh: ["Benjamini-Hochberg", "Benjamini-Hochberg's steps"],
    anytime: ["Anytime-valid", "the threshold of continuous monitoring"],
    cluster: ["Clustered", "the design effect of the clusters"],
  };

  // Holm's q and Benjamini and Hochberg's, as `stepwise_required_n` has them; pairs without items come last.
  const ordered = ({ g, t2 }) => {
    const known = t2.map((one) => one || 0), order = g.map((_, k) => k).sort((x, y) => known[y] - known[x] || x - y);
    return { g: order.map((k) => g[k]), t2: known.map((_, k) => known[order[k]]) };
  };
  const stepwise = (family, by, alpha, end, q) => {
    const { g, t2 } = family.order ??= ordered(family), m = g.length, down = by === "holm";
    // Quantiles of the steps' levels, which another power leaves as they are.
    if (family[by]?.alpha !== alpha) {
      const z = new Float64Array(m);
      for (let step = 0; step < m; step += 1) z[step] = ndtri((down ? alpha / (m - step) : alpha * (step + 1) / m) / 2);
      family[by] = { alpha, z };
    }
    const { z } = family[by];
    let bound = down ? Infinity : 0;
    for (let k = 0; k < m; k += 1) {
      const step = down ? k : m - 1 - k, one = t2[step] / (end - z[step]) ** 2;
      q[g[step]] = bound = down ? Math.min(bound, one) : Math.max(bound, one);
    }
  };

  // A task's pairs: each looks its cells up in the columns; what a task may not have is unknown.
  const OPTIONAL = ["ps", "pf", "pe", "lo", "hi", "even", "need", "sees", "more", "turn", "deff", "inflation"];
  const rowsOf = ({ pairs, kind }, t, from) => {
    const cell = (name) => { const cells = pairs[name] ?? null; return Array.isArray(cells) ? ({ k }) => cells[k] : () => cells; };
    const [delta, gap, t2] = ["delta", "gap", "t2"].map(cell);
    const columns = {
      ...Object.fromEntries([...OPTIONAL, ...Object.keys(pairs)].map((name) => [name, cell(name)])),
      t: () => t,
      ...(kind !== "binary" ? { delta: (pair) => delta(pair) ?? NaN } : {
        n00: ({ n, n11, b, c }) => n - n11 - b - c,
        delta: ({ n, b, c }) => (b - c) / n,
        var: ({ n, b, c, delta }) => (b + c) / n - delta ** 2,
        pa: ({ n, n11, b }) => (n11 + b) / n,
        pb: ({ n, n11, c }) => (n11 + c) / n,
      }),
      // What the verdict is about.
      gap: (pair) => gap(pair) ?? pair.delta,
      // Squared standardized gap; q at a level is this over the square of zSum.
      t2: kind === "average" ? (pair) => t2(pair) ?? NaN
        : (pair) => !pair.n ? NaN : pair.delta === 0 ? 0 : pair.var > 0 ? pair.delta ** 2 * pair.n / pair.var : Infinity,
    };
    class Pair { constructor(k) { this.k = k; this.g = from + k; } }
    for (const [name, of] of Object.entries(columns)) Object.defineProperty(Pair.prototype, name, { get() { return of(this); } });
    const count = Math.max(...Object.values(pairs).map((cells) => Array.isArray(cells) ? cells.length : 1));
    return Array.from({ length: count }, (_, k) => new Pair(k));
  };

  // Pairs have one number over all tasks; those of one file are a family.
  const readPairs = (board) => {
    let from = 0;
    const tasks = board.tasks.map((task, t) => {
      const rows = rowsOf(task, t, from);
      from += rows.length;
      return rows;
    });
    const all = tasks.flat();
    // Columns of numbers, which a tick of a control reads many times faster than the pairs.
    const column = (of, key) => Float64Array.from(of, (pair) => pair[key] ?? NaN);
    const families = [...Map.groupBy(tasks, (_, t) => board.tasks[t].result).entries()].map(([result, of]) => {
      const members = of.flat(), m = board.tasks[members[0].t].family_pairs;
      const columns = Object.fromEntries(["t2", "ps", "pf", "pe", "gap"].map((key) => [key, column(members, key)]));
      return { result, m, whole: members.length === m, order: null, g: Uint32Array.from(members, ({ g }) => g), ...columns };
    });
    return { tasks, all, families, t2: column(all, "t2"), verdict: Uint8Array.from(all, ({ verdict }) => verdict) };
  };

  // q of every pair under every procedure, and the verdict, at any level and power.
  const judge = (board, pairs, alpha, power) => {
    const { all, families } = pairs;
    const end = ndtri(power), at = (level) => (end - ndtri(level / 2)) ** 2;
    const filled = (value) => {
      const made = new Float64Array(all.length);
      for (const pair of all) made[pair.g] = value(pair);
      return made;
    };
    // Each is made when it is first asked for.
    const q = {}, offer = (name, make) => Object.defineProperty(q, name, {
      enumerable: true, configurable: true,
      get() { const made = make(); Object.defineProperty(q, name, { value: made, enumerable: true }); return made; },
    });
    const byFamily = (level) => () => {
      const made = new Float64Array(all.length);
      for (const { g, t2, m } of families) { const one = at(level(m)); for (let k = 0; k < g.length; k += 1) made[g[k]] = t2[k] / one; }
      return made;
    };
    offer("fixed", () => { const one = at(alpha); return pairs.t2.map((t2) => t2 / one); });
    offer("bonferroni", byFamily((m) => alpha / m));
    offer("sidak", byFamily((m) => -Math.expm1(Math.log1p(-alpha) / m)));
    // Steps are those of the whole family, which a page of the best models alone does not have.
    if (families.some(({ whole }) => whole)) {
      for (const by of ["holm", "bh"]) offer(by, () => {
        const made = new Float64Array(all.length).fill(NaN);
        for (const family of families) if (family.whole) stepwise(family, by, alpha, end, made);
        return made;
      });
    }
    if (alpha === board.alpha && all.some((pair) => pair.inflation)) {
      const declared = zSum(board.alpha, board.power), beta = ndtri(board.power);
      offer("anytime", () => filled(({ t2, inflation, b }) => b === undefined ? NaN
        : inflation ? t2 / (Math.sqrt(inflation) * declared - beta + end) ** 2 : 0));
    }
    if (all.some((pair) => pair.deff)) {
      offer("cluster", () => filled(({ g, t, t2, deff }) => !("deff" in board.tasks[t].pairs) ? NaN : t2 === 0 ? 0 : deff ? q.fixed[g] / deff : NaN));
    }
    const verdict = pairs.verdict.slice();
    if (alpha !== board.alpha) {
      for (const { g, m, ps, pf, pe, gap } of families) {
        // Of a pair: the largest p-value that is called different, halved for one side, or Bonferroni's.
        let level = alpha / m;
        for (let k = 0; k < pf.length; k += 1) if (pf[k] <= alpha && ps[k] / 2 > level) level = ps[k] / 2;
        for (let k = 0; k < pf.length; k += 1) {
          verdict[g[k]] = pf[k] <= alpha ? (gap[k] < 0 ? B_BETTER : A_BETTER) : board.margin !== null && pe[k] <= level ? EQUIVALENT : UNDETERMINED;
        }
      }
    }
    offer("verdict", () => q.fixed);
    return { q, verdict };
  };

  const signed = (text) => text.replace("-", "−");
  // A second digit where there are items enough to tell it.
  let digits = 1, measure = { unit: "points", factor: 100, decimals: 1 };
  const asPoints = (x) => !Number.isFinite(x) ? "–" : signed(grouped(measure.factor * x, digits).replace(/^-(?=[0.]+$)/, ""));
  // What is not 0 does not read 0.
  const asEnd = (x) => Number.isFinite(x) && x !== 0 && !/[1-9]/.test(grouped(measure.factor * x, digits)) ? signed(Number((measure.factor * x).toPrecision(1)).toString()) : asPoints(x);
  const inUnit = (x) => `${asPoints(x)} ${measure.unit}`.trimEnd();
  // A margin was declared, to the digits that it has.
  const asMargin = (x) => measure.factor !== 100 ? inUnit(x) : `${Number((100 * x).toPrecision(3))} ${x === 0.01 ? "point" : "points"}`;
  const asPercent = (x) => Number.isFinite(x) ? grouped(100 * x, 1) : "–";
  const asScore = (x) => Number.isFinite(x) ? signed(grouped(measure.factor * x, measure.decimals)) : "–";
  const asP = (p) => p === null ? "–" : p < 0.0001 ? "< 0.0001" : p > 0.9999 ? "1" : Number(p.toPrecision(2)).toString();
  const asQ = (q) => !Number.isFinite(q) ? (q === Infinity ? "∞" : "–") : q === 0 ? "0" : q < 0.01 ? "< 0.01"
    : grouped(q, q < 9.995 ? 2 : q < 99.95 ? 1 : 0);
  const written = (x) => Number.isFinite(x) ? x : null;
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  const chip = (kind) => {
    const drawn = s("svg", { class: "chip", viewBox: "0 0 10 10", "aria-hidden": "true" });
    drawn.append(s("rect", { class: kind, width: 10, height: 10 }));
    return drawn;
  };

  // JSON strings are YAML, but for characters that YAML wants escaped.
  const yaml = (text) => JSON.stringify(text).replace(/[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/gu, (c) => {
    const point = c.codePointAt(0).toString(16);
    return point.length > 4 ? `\\U${point.padStart(8, "0")}` : `\\u${point.padStart(4, "0")}`;
  });

  // Of many pairs the data are deflated.
  const unpacked = async ({ type, textContent }) => {
    if (type === "application/json") return textContent;
    const text = atob(textContent), bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k += 1) bytes[k] = text.charCodeAt(k);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  };

  const start = async () => {
    const board = JSON.parse(await unpacked(document.getElementById("board")));
    const pairs = readPairs(board);
    const form = document.querySelector(".controls");
    const { procedure, alpha, power, top, q: search } = form.elements;
    const dialog = document.getElementById("pair");
    const body = (name) => document.querySelector(`#${name} .body`);
    const title = (name, text) => { document.getElementById(`${name}-title`).textContent = text; };
    // What describes columns that a narrow screen hides, `wide`, is hidden with them.
    const about = (name, text, wide = "") => document.querySelector(`#${name} .about`).replaceChildren(
      ...[h("span", {}, text), h("span", { class: "wide" }, wide && ` ${wide}`)]);
    const levels = [...new Set([...LEVELS, board.alpha])].sort((x, y) => x - y);
    const powers = [...new Set([...POWERS, board.power])].sort((x, y) => x - y);
    const byRanks = board.tasks.map((_, t) => new Map(pairs.tasks[t].map((pair) => [pair.i * 1e6 + pair.j, pair])));
    let t = 0, outcomes = null, now = null, listed = LISTED, marked = null, showNeed = () => {};

    const models = () => board.tasks[t].models;
    const rows = () => pairs.tasks[t];
    // A column of the task's own pairs, which are numbered in a row.
    const own = (values) => { const from = rows()[0]?.g ?? 0; return values.subarray(from, from + rows().length); };
    const name = (rank) => models()[rank - 1].name;
    const pairOf = (i, j) => byRanks[t].get(Math.min(i, j) * 1e6 + Math.max(i, j));
    // What the controls say, read once a drawing and not once a pair.
    const read = () => {
      const best = Math.min(Math.max(2, Number(top.value) || models().length), models().length);
      now = { by: procedure.value, level: levels[alpha.value], target: powers[power.value], best };
      now.declared = now.level === board.alpha && now.target === board.power;
    };
    const level = () => now.level, target = () => now.target, declared = () => now.declared, shown = () => now.best;
    const q = (pair, by = now.by) => outcomes.q[by][pair.g];
    const hasQ = (pair, by) => by in outcomes.q && !Number.isNaN(q(pair, by));
    const applies = (pair, by) => by === "verdict" || hasQ(pair, by);
    const settled = (pair, by = now.by) => by === "verdict" ? outcomes.verdict[pair.g] !== UNDETERMINED : q(pair, by) >= 1;
    // What a pair's cell, line or row is colored by.
    const code = (pair, by = now.by) => by === "verdict" ? outcomes.verdict[pair.g]
      : !settled(pair, by) ? UNDETERMINED : pair.delta < 0 ? B_BETTER : A_BETTER;
    const word = (pair, by = now.by) => by === "verdict" ? WORDS[outcomes.verdict[pair.g]]
      : !applies(pair, by) ? "not defined" : settled(pair, by) ? "resolved" : "unresolved";
    const hits = () => {
      const words = fold(search.value).split(/\s+/).filter(Boolean);
      return models().map((model) => words.every((part) => fold(model.name).includes(part)));
    };
    // The pairs that top and search leave, neighbors first: kept, for the level and the power do not change them.
    let filtered = { key: "", pairs: [] };
    const wanted = () => {
      const key = `${t} ${shown()} ${search.value}`;
      if (filtered.key !== key) {
        const hit = hits(), kept = byNearness().filter(({ i, j }) => i <= shown() && j <= shown() && (hit[i - 1] || hit[j - 1]));
        filtered = { key, pairs: kept, places: Uint32Array.from(kept, ({ g }) => g - rows()[0].g) };
      }
      return filtered;
    };

    const both = (pair, ranks = "") => h("th", { scope: "row", class: "name", title: `${name(pair.i)} against ${name(pair.j)}` },
      h("button", { class: "open", type: "button" }, ranks, h("bdi", {}, name(pair.i)), h("span", { class: "dash" }, " – "), h("bdi", {}, name(pair.j))));
    const nearest = (x, y) => (x.j - x.i) - (y.j - y.i) || x.i - y.i;
    const sorted = [], byNearness = () => sorted[t] ??= [...rows()].sort(nearest);
    // Rows of one height in a place that scrolls: those in view stand in the table, the others as empty space.
    // Its height and where it was scrolled to are known: to ask for them would lay out the page at every tick.
    const TALLEST = 32 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const scrolled = (name, label, attributes, caption, header, lines, height, draw) => {
      const before = h("tbody"), shownRows = h("tbody"), after = h("tbody");
      const space = (part, n) => part.replaceChildren(...(n ? [h("tr", { class: "space" }, h("td"))] : []));
      const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
        h("table", { ...attributes, "aria-rowcount": lines + 1 }, h("caption", { class: "hidden-text" }, caption), header, before, shownRows, after));
      let first = -1;
      const show = () => {
        const from = Math.max(0, Math.min(lines - 1, Math.floor((tops[name] ?? 0) / height)) - BEYOND);
        const to = printing ? lines : Math.min(lines, from + Math.ceil(TALLEST / height) + 2 * BEYOND);
        if (from === first && shownRows.childElementCount === to - from) return;
        first = from;
        for (const [part, n] of [[before, from], [after, lines - to]]) { space(part, n); if (n) part.firstChild.firstChild.style.height = `${n * height}px`; }
        shownRows.replaceChildren(...Array.from({ length: to - from }, (_, k) => draw(from + k)));
      };
      body(name).replaceChildren(scroll);
      scroll.addEventListener("scroll", () => { tops[name] = scroll.scrollTop; show(); });
      shows[name] = () => { first = -1; show(); };
      show();
      if (tops[name]) scroll.scrollTop = tops[name];
    };
    const shows = {}, tops = {};
    let printing = matchMedia("print").matches;
    for (const event of ["beforeprint", "afterprint"]) {
      addEventListener(event, () => { printing = event === "beforeprint"; for (const panel of drawn.values()) drawDue(panel); for (const show of Object.values(shows)) show(); });
    }

    // What a table is ordered by, a column, and "-" before one that falls; "" is the order of rank.
    const orders = { pairs: "", ranking: "" };
    const places = [], alphabetical = () => places[t] ??= placesOf(models().map((model) => model.name));
    const placesOf = (names) => {
      const { compare } = new Intl.Collator("en", { numeric: true }), made = [];
      names.map((_, k) => k).sort((x, y) => compare(names[x], names[y])).forEach((k, place) => { made[k] = place; });
      return made;
    };
    const KEYS = {
      pairs: {
        ranks: ({ i, j }) => (j - i) * 1e6 + i, pair: ({ i, j }) => alphabetical()[i - 1] * 1e6 + alphabetical()[j - 1],
        verdict: (pair) => word(pair), q: (pair) => q(pair), gap: ({ gap }) => gap, interval: ({ lo }) => lo, p: ({ pf }) => pf, items: ({ n }) => n,
        new: (pair) => !declared() || !(Math.abs(pair.gap) > 0) ? null : pair.need === null ? Infinity : Math.max(pair.even, pair.need),
      },
      ranking: { rank: (k) => k, possible: (k) => models()[k].low * 1e6 + models()[k].high, model: (k) => alphabetical()[k], score: (k) => models()[k].score },
    };
    // In order of a column; what is unknown comes last.
    const inOrder = (table, lines) => {
      if (!orders[table]) return lines;
      const falls = orders[table].startsWith("-"), key = KEYS[table][orders[table].replace("-", "")], unknown = (one) => one === null || one !== one;
      return lines.map((line) => [key(line), line])
        .sort(([x], [y]) => unknown(x) - unknown(y) || (x < y ? -1 : x > y ? 1 : 0) * (falls ? -1 : 1)).map(([, line]) => line);
    };
    // A head whose columns order the table: a first press rises, a second falls, a third goes back to the ranks.
    const orderingHead = (table, draw, columns) => head(...columns.map(([text, kind, key]) => {
      if (!key) return [text, kind];
      const usual = key === Object.keys(KEYS[table])[0], order = orders[table], button = h("button", { type: "button", class: "order", "data-key": key }, text);
      const sorted = order === `-${key}` ? "descending" : order === key || (usual && !order) ? "ascending" : null;
      button.addEventListener("click", () => {
        orders[table] = sorted === "descending" ? "" : sorted ? `-${key}` : usual ? "" : key;
        draw();
        remember();
        body(table).querySelector(`[data-key="${key}"]`).focus();
      });
      return [button, kind, { "aria-sort": sorted }];
    }));

    const describe = (pair) => {
      const sign = code(pair, "verdict");
      const comparison = sign === A_BETTER || sign === B_BETTER
        ? `${name(sign === A_BETTER ? pair.i : pair.j)} is better than ${name(sign === A_BETTER ? pair.j : pair.i)}`
        : `${name(pair.i)} and ${name(pair.j)} are ${sign === EQUIVALENT ? "equivalent" : "undetermined"}`;
      return `Rank ${pair.i} and ${pair.j}: ${comparison}; gap ${inUnit(pair.gap)}, q ${asQ(q(pair, "fixed"))}`;
    };

    // ---- Sentences.
    const counted = (by) => (outcomes.counts ??= {})[`${t} ${by}`] ??= countedAnew(by);
    const countedAnew = (by) => {
      let [different, equivalent, open] = [0, 0, 0];
      if (by === "verdict") for (const kind of own(outcomes.verdict)) kind === UNDETERMINED ? open += 1 : kind === EQUIVALENT ? equivalent += 1 : different += 1;
      else for (const one of own(outcomes.q[by])) one >= 1 ? different += 1 : one < 1 ? open += 1 : 0;
      return { all: different + equivalent + open, different, equivalent, open };
    };
    const trimmed = () => {
      const all = board.tasks[t].n_models, kept = models().length;
      return kept < all ? ` among the best ${grouped(kept)} of ${grouped(all)} models` : "";
    };
    const split = (what, { different, equivalent, undetermined }) => {
      const equal = board.margin === null ? "" : `${grouped(equivalent)} equivalent within ${asMargin(board.margin)}, `;
      return `${grouped(different)} of ${what} ${different === 1 ? "is" : "are"} different, ${equal}${grouped(undetermined)} undetermined`;
    };
    // Of more pairs than the page has, all were counted at the declared level.
    const ofMany = () => board.shown !== null && board.tasks[t].kind !== "average";
    const wholeSentence = () => {
      const landscape = board.tasks[t].landscape;
      return ofMany() && landscape && level() === board.alpha ? `${split(count(landscape.n_pairs, "pair"), landscape.verdicts)}. On this page: ` : "";
    };
    const verdictSentence = () => {
      const { all, different, equivalent, open } = counted("verdict");
      if (all === 1) return `${wholeSentence()}${name(rows()[0].i)} and ${name(rows()[0].j)} are ${WORDS[outcomes.verdict[rows()[0].g]]}.`;
      const what = ofMany() ? `${grouped(all)} ${board.shown}` : count(all, board.family === "adjacent" ? "adjacent pair" : "pair");
      return `${wholeSentence()}${split(what, { different, equivalent, undetermined: open })}${trimmed()}.`;
    };
    // Sets of ranks are those of the declared level.
    const firstSentence = () => level() === board.alpha ? board.tasks[t].first : "";
    const byClusters = () => board.tasks[t].tests.some((test) => test.startsWith("cluster"));
    const sees = (pair) => pair.sees === null ? "" : `detectable gap about ${asPoints(pair.sees)}`;
    // Items of a new run that decides a pair, as a cell of a table.
    const needed = (pair) => {
      if (!pair.n) return "no item in common";
      if (declared() && pair.need !== null) return `${grouped(Math.min(pair.even, pair.need))} to ${grouped(Math.max(pair.even, pair.need))}`;
      if (!(Math.abs(pair.gap) > 0)) return "no gap so far";
      if (!declared()) return "–";
      return `${pair.even === null ? "" : `${grouped(pair.even)} to `}over ${grouped(1000 * pair.n)}`;
    };
    const needs = (pair) => {
      if (!pair.n) return "they share no item";
      if (declared() && pair.need !== null) return `a new run decides it${settled(pair, "verdict") ? " again" : ""} with a chance of 0.5 to ${board.power} on ${needed(pair)} items${byClusters() ? " of new clusters" : ""}`;
      if (!(Math.abs(pair.gap) > 0)) return "no gap so far";
      if (!declared() || settled(pair, "verdict")) return "";
      return `even a thousand times these items decide it with a chance below ${board.power}${pair.sees === null ? "" : `; ${sees(pair)}`}`;
    };
    const gapText = (pair) => `${inUnit(pair.gap)}${pair.lo === null || pair.hi === null ? "" : ` (${asEnd(pair.lo)} to ${asEnd(pair.hi)})`}`;
    const headline = () => {
      const by = procedure.value, leaders = pairOf(1, 2), { all, different, open } = counted(by);
      const paragraphs = [h("p", {}, h("strong", {}, verdictSentence()), ` ${firstSentence()}`)];
      const more = [board.tasks[t].further, level() === board.alpha ? board.tasks[t].readings : "", level() === board.alpha && board.tasks[t].family_pairs > 1 ? board.discoveries : "", board.measured].filter(Boolean);
      if (more.length) paragraphs.push(h("p", {}, more.join(" ")));
      if (leaders) {
        const need = needs(leaders);
        paragraphs.push(h("p", {}, "Rank 1 against 2, ", h("bdi", {}, name(1)), " and ", h("bdi", {}, name(2)), ": ", h("span", { class: `word v-${code(leaders, "verdict")}` }, word(leaders, "verdict")),
          leaders.n ? `; gap ${gapText(leaders)} on ${count(leaders.n, "item")}${need ? `; ${need}` : ""}.` : `; ${need}.`));
      }
      if (by !== "verdict") {
        paragraphs.push(h("p", {}, `${PROCEDURES[by][0]}: ${grouped(different)} of ${count(all, "pair")} resolved (q of at least 1), ${grouped(open)} unresolved.`));
      }
      const { provenance: kind, fitted_to: fitted } = board.tasks[t];
      const origin = { witness: `Witness: no model's answers, but a data set that was fitted to ${fitted}.`, stand_in: "Stand-in or mirror: another server gave these scores than their owners'.", mixed: "The tasks' scores are of different origin: see each." }[kind];
      paragraphs.push(...[...(origin ? [origin] : []), ...board.warnings].map((text) => h("p", { class: "warning" }, text)));
      document.getElementById("headline").replaceChildren(...paragraphs);
      document.getElementById("note").textContent = declared() ? ""
        : `Declared: α = ${board.alpha}, power ${board.power}. Verdicts and q follow the sliders; intervals and possible ranks are those of the declared level; items needed are known at the declared level and power alone${level() !== board.alpha && board.tasks[t].kind === "binary" ? ", and the anytime-valid threshold is known at the declared level alone" : ""}.`;
    };
    const siblings = () => board.tasks.filter((task) => task.result === board.tasks[t].result).length;
    const tests = () => board.tasks[t].tests.map((test) => board.test_names[test] ?? test).join(", ");
    const intervals = () => `${board.tasks[t].family_pairs === 1 ? "" : board.control === "max-t" ? "simultaneous " : "FCR-adjusted "}${board.confidence} interval`;
    const adjustment = () => board.tasks[t].family_pairs === 1 ? "" : `, ${board.control === "max-t" ? "max-T" : `false discovery rate (${board.control.toUpperCase()})`} over ${count(board.tasks[t].family_pairs, "pair")}`;
    const sentence = () => {
      const task = board.tasks[t];
      return `${task.task}, ${count(task.items, "item")}, ${count(task.n_models, "model")}: ${[verdictSentence(), firstSentence()].filter(Boolean).join(" ")} `
        + `Level ${level()}, ${tests()}${adjustment()}; missing scores: ${board.missing.replace("_", " ")}`
        + `${task.files ? `; scores SHA-256 ${task.sha256}` : ""}; llm-power ${board.version}.`;
    };

    // ---- The panels.
    // Runs of ranks within which every pair is known and none is separated; the longest ones.
    const runs = () => {
      const last = shown(), made = [];
      const tied = (i, j) => { const pair = pairOf(i, j); return pair && !settled(pair); };
      for (let i = 1, end = 1; i < last; i += 1) {
        end = Math.max(end, i);
        let next = end + 1;
        const joins = (k) => { for (let r = i; r < k; r += 1) if (!tied(r, k)) return false; return true; };
        while (next <= last && joins(next)) next += 1;
        if (next - 1 > end || (i === 1 && next > 2)) made.push([i, next - 1]);
        end = Math.max(end, next - 1);
      }
      return made;
    };
    const ranking = () => {
      const hit = hits(), last = shown(), listedModels = models().slice(0, last), lines = inOrder("ranking", [...listedModels.keys()]);
      const low = Math.min(...listedModels.map((model) => model.score_low ?? model.score));
      const high = Math.max(...listedModels.map((model) => model.score_high ?? model.score));
      const x = (score) => 4 + 152 * (score - low) / (high - low || 1);
      // Ranks in another order are not beside each other.
      const lanes = [], made = (orders.ranking ? [] : runs()).map(([from, to]) => {
        let lane = lanes.findIndex((end) => end < from);
        if (lane < 0) lane = lanes.length;
        lanes[lane] = to;
        return { from, to, lane };
      }).filter(({ lane }) => lane < 20);
      const width = Math.min(lanes.length, 20) * 7 + 4;
      const brackets = (rank) => s("svg", { width, height: ROW, "aria-hidden": "true" }, ...made.filter(({ from, to }) => from <= rank && rank <= to).map(({ from, to, lane }) => {
        const at = 5 + 7 * lane, up = rank === from ? 5 : 0, down = rank === to ? ROW - 5 : ROW;
        return s("path", { class: "bracket", d: `${up ? `M${at - 3} ${up}H` : `M${at} 0H`}${at}V${down}${rank === to ? `H${at - 3}` : ""}` });
      }));
      scrolled("ranking", "Ranking", { class: "rows" }, "Models in the order of their score",
        orderingHead("ranking", ranking, [["Rank", "right", "rank"], ["Possible", "right", "possible"], ["Model", null, "model"], ["Score", "right", "score"], ["", "wide"], [""]]), last, ROW, (line) => {
          const k = lines[line], model = models()[k], known = model.score_low !== null && model.score_high !== null;
          const text = `${asScore(model.score)}${known ? ` (${asScore(model.score_low)} to ${asScore(model.score_high)})` : ", interval unknown"}`;
          const drawn = s("svg", { width: 160, height: 22, role: "img", "aria-label": text },
            s("title", {}, text), known ? s("line", { class: "bar", x1: x(model.score_low), x2: x(model.score_high), y1: 11, y2: 11 }) : null, s("circle", { class: "dot", cx: x(model.score), cy: 11, r: 3 }));
          return h("tr", { "data-m": k + 1, class: hit[k] ? null : "miss" },
            h("td", { class: "right" }, String(k + 1)),
            h("td", { class: "right" }, model.low === model.high ? String(model.low) : `${model.low}–${model.high}`),
            h("th", { scope: "row", class: "name", title: model.name }, h("bdi", {}, model.name)),
            h("td", { class: "right" }, asScore(model.score)), h("td", { class: "wide" }, drawn), h("td", { class: "brackets" }, brackets(k + 1)));
        });
      body("ranking").querySelector("thead .wide").append(axis([[low, asScore(low)], [high, asScore(high)]], x));
      const words = made.map(({ from, to }) => `${from} to ${to}`);
      if (!orders.ranking) body("ranking").append(h("p", { class: "hidden-text" }, words.length ? `Not separated: ranks ${words.join(", ")}.` : "Every two models are separated."));
      title("ranking", firstSentence().split(/: |\.$/)[0] || "Ranking");
      const sets = [`Possible: ranks consistent with the data, jointly at ${board.confidence} confidence.`, ...board.tasks[t].rank_notes].join(" ");
      about("ranking", orders.ranking ? sets : `${sets} Brackets join ranks of which no two are ${procedure.value === "verdict" ? "different" : "resolved"}${ofMany() ? " (of pairs on this page alone)" : board.family === "adjacent" ? " (of neighbors alone: other pairs were not compared)" : ""}.`, `Intervals are each model's own, ${board.confidence}; models share their items, so overlap is no tie.`);
    };
    // Ticks of an axis, of which none runs over the drawing's edge.
    const ticksAt = (ticks, x, y, width) => ticks.map(([value, text]) => {
      const at = x(value), half = 3.5 * text.length;
      return s("text", { class: "tick", x: at, y, "text-anchor": at < half ? "start" : at > width - half ? "end" : "middle" }, text);
    });
    const axis = (ticks, x, width = 160) => s("svg", { width, height: 14, "aria-hidden": "true" }, ...ticksAt(ticks, x, 11, width));
    // From two to `most` ticks of numbers of items: decades, or of fewer than two of them steps between.
    const itemTicks = (low, high, most) => {
      for (const steps of [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
        const ticks = [];
        for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10) ticks.push(...steps.map((step) => step * decade).filter((items) => items >= low && items <= high));
        if (ticks.length > 1 || steps.length > 3) return ticks.filter((_, k) => k % Math.ceil(ticks.length / most) === 0);
      }
    };

    const step = (ratio) => ratio > 0 ? Math.min(11, Math.max(0, Math.floor(Math.log2(ratio)) + 6)) : 0;
    let cursor = null;
    // Colors as the theme has them: red, green and blue of each class; kept, because asking makes the browser lay out the page.
    let colors = {};
    const colorOf = (kind) => {
      if (kind in colors) return colors[kind];
      const probe = s("svg", { class: "cells" }, s("rect", { class: kind }));
      body("heat").append(probe);
      colors[kind] = getComputedStyle(probe.firstChild).fill.match(/[\d.]+/g).map(Number);
      probe.remove();
      return colors[kind];
    };
    const FONT = getComputedStyle(document.body).fontFamily;
    const heat = () => {
      const last = shown(), hit = hits(), by = procedure.value;
      const near = rows().filter((pair) => pair.i <= last && pair.j <= last);
      // Neighbors alone have their picture above.
      document.getElementById("heat").hidden = near.every((pair) => pair.j === pair.i + 1);
      if (document.getElementById("heat").hidden) return;
      const gutter = 24, side = Math.min(640, 44 * last), cell = side / last;
      const points = new ImageData(last, last), pixels = new Uint32Array(points.data.buffer);
      // Each color solid and pale.
      const inks = (kinds) => kinds.map((kind) => [255, 90].map((opacity) => new Uint32Array(Uint8Array.of(...colorOf(kind).slice(0, 3), opacity).buffer)[0]));
      const steps = inks(Array.from({ length: 12 }, (_, k) => `q${k}`)), codes = inks([0, 1, 2, 3].map((kind) => `v v-${kind}`)), [none] = inks(["void"]);
      const qs = own(outcomes.q[by]);
      for (const pair of near) {
        const a = pair.i - 1, b = pair.j - 1, ink = hit[a] || hit[b] ? 0 : 1, one = qs[pair.k], isKnown = one === one;
        pixels[a * last + b] = (isKnown ? steps[step(one)] : none)[ink];
        pixels[b * last + a] = (isKnown || by === "verdict" ? codes[code(pair)] : none)[ink];
      }
      const map = h("canvas", { width: last, height: last }), ratio = Math.min(2, devicePixelRatio);
      map.getContext("2d").putImageData(points, 0, 0);
      const picture = h("canvas", {
        width: ratio * (gutter + side), height: ratio * (gutter + side), tabindex: "0", role: "application", "aria-roledescription": "map of pairs",
        "aria-label": `q and verdict of ${count(near.length, "pair")}. Arrow keys move, Enter opens the pair; the list of pairs below says the same.`,
      });
      picture.style.width = `${gutter + side}px`;
      const paint = picture.getContext("2d"), css = (name) => `rgb(${colorOf(name).slice(0, 3).join()})`;
      paint.scale(ratio, ratio);
      paint.imageSmoothingEnabled = false;
      paint.drawImage(map, gutter, gutter, side, side);
      paint.font = `11px ${FONT}`;
      paint.fillStyle = css("ticks");
      for (let rank = 1, every = Math.ceil((last > 99 ? 28 : 16) / cell); rank <= last; rank += 1) {
        if (every > 1 && rank % every) continue;
        const middle = gutter + (rank - 0.5) * cell;
        paint.textAlign = "center"; paint.fillText(rank, middle, gutter - 6);
        paint.textAlign = "right"; paint.fillText(rank, gutter - 5, middle + 4);
      }
      // A mark beside the color, where there is room: undetermined /, equivalent =, B better v.
      const r = cell / 5, strokes = { [UNDETERMINED]: [[-r, r, r, -r]], [EQUIVALENT]: [[-r, -r / 2, r, -r / 2], [-r, r / 2, r, r / 2]], [B_BETTER]: [[-r, -r / 2, 0, r], [0, r, r, -r / 2]] };
      if (cell >= 8) {
        for (const pair of near) {
          const kind = code(pair), [x, y] = [gutter + (pair.i - 0.5) * cell, gutter + (pair.j - 0.5) * cell];
          if (!applies(pair, by)) continue;
          paint.strokeStyle = css(kind === UNDETERMINED ? "word-0" : "ground");
          for (const [a, b, c, d] of strokes[kind] ?? []) { paint.beginPath(); paint.moveTo(x + a, y + b); paint.lineTo(x + c, y + d); paint.stroke(); }
        }
      }
      const outlines = [0, 1].map(() => h("i", { class: "cursor", hidden: "" }));
      const frame = h("div", { class: "map" }, picture, ...outlines);
      marksHeat = (pair) => {
        const inside = pair && pair.t === t && near.length && pair.j <= last;
        outlines.forEach((outline, lower) => {
          outline.hidden = !inside;
          outline.classList.toggle("on", Boolean(inside));
          if (!inside) return;
          const [x, y] = lower ? [pair.i, pair.j] : [pair.j, pair.i], share = (ranks) => `${100 * (gutter + ranks * cell) / (gutter + side)}%`;
          Object.assign(outline.style, { left: share(x - 1), top: share(y - 1), width: `${100 * Math.max(cell, 5) / (gutter + side)}%`, height: `${100 * Math.max(cell, 5) / (gutter + side)}%` });
        });
      };
      const pointed = (event) => {
        const box = picture.getBoundingClientRect(), rank = (at, size) => Math.floor((at / size * (gutter + side) - gutter) / cell) + 1;
        const [x, y] = [rank(event.clientX - box.left, box.width), rank(event.clientY - box.top, box.height)];
        return x > 0 && y > 0 && x !== y && Math.max(x, y) <= last ? pairOf(x, y) ?? null : null;
      };
      const move = (pair) => {
        if (!pair || pair.j > last) return;
        cursor = pair;
        mark(pair.g);
        document.getElementById("announcement").textContent = describe(pair);
      };
      picture.addEventListener("pointerover", (event) => event.stopPropagation());
      picture.addEventListener("pointermove", (event) => { const pair = pointed(event); mark(pair?.g ?? null); tell(pair, event); });
      picture.addEventListener("click", (event) => { const pair = pointed(event); if (pair) open(pair); });
      picture.addEventListener("focus", () => move(cursor?.t === t && cursor.j <= last ? cursor : near[0]));
      picture.addEventListener("keydown", (event) => {
        const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
        if (event.key in steps && cursor) {
          event.preventDefault();
          const [di, dj] = steps[event.key];
          let [i, j] = [cursor.i + di, cursor.j + dj];
          if (i === j) [i, j] = [i + di, j + dj];
          move(pairOf(i, j));
        } else if ((event.key === "Enter" || event.key === " ") && cursor) {
          event.preventDefault();
          open(cursor);
        }
      });
      const ends = s("svg", { width: 288, height: 26, role: "img", "aria-label": "q from below 1/32 to above 32" });
      for (let k = 0; k < 12; k += 1) ends.append(s("rect", { class: `q${k}`, x: 24 * k, width: 24, height: 10 }));
      [["1/32", 24], ["1/8", 72], ["1/2", 120], ["1", 144], ["2", 168], ["8", 216], ["32", 264]].forEach(([text, x]) => {
        ends.append(s("text", { class: "tick", x, y: 23, "text-anchor": "middle" }, text));
      });
      const names = by === "verdict" ? [[1, "different"], [0, "undetermined"], ...(board.margin === null ? [] : [[3, "equivalent"]])] : [[1, "resolved"], [0, "unresolved"]];
      body("heat").replaceChildren(frame, h("div", { class: "legend" }, h("span", {}, "each cell: a pair of models"), h("span", {}, "above the diagonal: q ", ends), h("span", {}, "below: "), ...names.map(([kind, text]) => {
        const key = s("svg", { class: "chip cells", viewBox: "0 0 10 10", "aria-hidden": "true" }, s("rect", { class: `v v-${kind}`, width: 10, height: 10 }));
        if (kind === 0) key.append(s("path", { class: "glyphs", d: "M3 7L7 3" }));
        if (kind === 3) key.append(s("path", { class: "glyphs eq", d: "M3 4h4M3 6h4" }));
        return h("span", {}, key, text);
      })), saving("heat", "png", () => picture.toDataURL()));
      const { all, different } = counted(by);
      title("heat", `${grouped(different)} of ${count(all, ofMany() ? "pair on this page" : "pair").replace("pair on this pages", "pairs on this page")} ${by === "verdict" ? "are different" : "are resolved"}`);
      about("heat", `q = N/N*, ${PROCEDURES[by === "verdict" ? "fixed" : by][1]}: 1 where the items reach power ${target()} at the observed gap. ${by === "verdict" ? "Verdicts are tested and adjusted for the family; a pair can be different with q below 1." : ""}`);
    };

    const inGaps = () => measure.unit ? `Gap in ${measure.unit}.` : "";
    // Have and need: each rank against the next, by the items of a new run that decides it.
    const ladder = () => {
      const hit = hits(), near = [], n = board.tasks[t].items, [heading] = PROCEDURES[procedure.value];
      for (let i = 1; i < shown(); i += 1) { const pair = pairOf(i, i + 1); if (pair) near.push(pair); }
      const known = near.flatMap((pair) => [pair.even, pair.need]).filter((items) => items > 0);
      const low = Math.min(n, ...known) / 2, high = Math.min(2 * Math.max(n, ...known), 1e5 * n);
      const wide = innerWidth > 1000 ? PICTURED : innerWidth > 560 ? 240 : 96, short = new Intl.NumberFormat("en", { notation: "compact" });
      const place = (width) => (items) => 4 + (width - 8) * Math.log(Math.min(items, high) / low) / Math.log(high / low);
      const scale = (width) => axis(itemTicks(low, high, width < 240 ? 2 : 5).map((items) => [items, short.format(items)]), place(width), width);
      const drawn = (pair, width = wide) => {
        const x = place(width), text = needed(pair), ends = [pair.even, pair.need].map((items) => items === null ? x(high) : x(items)), [dot, out] = [ends[1], pair.need === null || pair.need > high];
        return s("svg", { width, height: 22, role: "img", "aria-label": text },
          s("line", { class: "here", x1: x(n), x2: x(n), y1: 0, y2: 22 }),
          ...(pair.even === null || !declared() ? [] : [s("line", { class: "bar", x1: ends[0], x2: ends[1], y1: 11, y2: 11 }),
            code(pair, "verdict") === UNDETERMINED || out ? s("path", { class: "dot", d: out ? `M${dot - 5} 7L${dot + 3} 11L${dot - 5} 15Z` : `M${dot - 4} 15L${dot} 7L${dot + 4} 15Z` })
              : s("circle", { class: "dot", cx: dot, cy: 11, r: 3.5 })]));
      };
      if (near.length) {
        scrolled("ladder", "Have and need", { class: "rows stacked" }, "Adjacent ranks, and the items of a new run that decides them",
          head(["Ranks", "wide"], ["Pair"], [heading, "wide"], ["Gap", "right wide"], ["Items, log scale", "scale"], ["New items", "right"]), near.length, TALL_ROW, (k) => {
            const pair = near[k];
            return h("tr", { "data-g": pair.g, class: hit[pair.i - 1] || hit[pair.j - 1] ? null : "miss" },
              h("td", { class: "wide" }, `${pair.i}–${pair.j}`), both(pair), h("td", { class: "wide" }, h("span", { class: `word v-${code(pair)}` }, word(pair))),
              h("td", { class: "right wide" }, asPoints(pair.gap)), h("td", { class: `ladder v-${code(pair, "verdict")}` }, drawn(pair)), h("td", { class: "right needed" }, needed(pair), h("span", { class: "wide" }, pair.need === null ? sees(pair) : "")));
          });
        body("ladder").querySelector("thead .scale").append(scale(wide));
        // The table as one drawing: of each pair its ranks, names, verdict, gap and line.
        const words = (x, y, text, more) => s("text", { x, y, ...more }, text), right = { "text-anchor": "end" };
        const picture = () => {
          const kept = near.slice(0, MOST_PICTURED), width = 1090, height = TALL_ROW * kept.length + 40;
          return s("svg", { width: width + 16, height, viewBox: `-8 0 ${width + 16} ${height}` },
            ...[["Ranks", 0], [kept.length < near.length ? `Pair, the first ${grouped(kept.length)} of ${grouped(near.length)}` : "Pair", 60], [heading, 320], ["Gap", 460, right], [`Items, log scale; dashed: ${grouped(n)} at hand`, 480], ["New items", width, right]].map(([text, x, more]) => words(x, 12, text, { class: "tick", ...more })),
            fill(scale(PICTURED), { x: 480, y: 18 }, []),
            ...kept.map((pair, k) => s("svg", { y: 40 + TALL_ROW * k, width, height: TALL_ROW },
              s("line", { class: "axis", x2: width }), words(0, 26, `${pair.i}–${pair.j}`),
              s("svg", { x: 60, width: 250, height: TALL_ROW }, words(0, 18, name(pair.i)), words(0, 34, name(pair.j))),
              words(320, 26, word(pair), { class: `word v-${code(pair)}` }), words(460, 26, asPoints(pair.gap), right),
              s("g", { class: `ladder v-${code(pair, "verdict")}` }, fill(drawn(pair, PICTURED), { x: 480, y: 11 }, [])), words(width, 26, needed(pair), right))));
        };
        body("ladder").append(...picturing("ladder", picture), saving("ladder", "csv", () => asCsv(near)));
      } else body("ladder").replaceChildren(h("p", { class: "none" }, "No adjacent pair was compared."));
      title("ladder", declared() ? board.tasks[t].finding : "Each rank against the next");
      about("ladder", `Each row: a pair of models, a rank and the next. Dashed: the ${count(n, "item")} at hand. Line: items of a new run that decides the pair, from a chance of 0.5 to ${board.power} at its mark${declared() ? "" : ", known at the declared level and power alone"}. Arrow: even a thousand times these items give no chance of ${board.power}. A different pair whose mark is right of the dashed line can need more new items than it has: its true gap may be smaller than the gap seen.`, `${inGaps()} Detectable gap: the smallest that the items at hand detect with power ${board.power}.`);
    };

    // Counts of pairs by the multiple of the items at hand from which they are decided, a bin a point across.
    const BINS = 510, FROM = 1 / 16, TO = 64, binOf = (multiple) => Math.max(0, Math.ceil(BINS * Math.log(multiple / FROM) / Math.log(TO / FROM) - 1e-9));
    const multiples = (by) => {
      const bins = new Uint32Array(BINS + 1), add = (multiple) => { if (multiple <= TO) bins[binOf(multiple)] += 1; };
      if (by === "verdict") for (const pair of rows()) add(settled(pair, by) ? 1 : declared() && pair.more !== null ? 1 + pair.more / pair.n : Infinity);
      else for (const one of own(outcomes.q[by])) add(1 / one);
      const { all } = counted(by);
      return { all, within: bins.map((sum => (n) => sum += n)(0)) };
    };
    const share = () => {
      const n = board.tasks[t].items, chosen = procedure.value;
      // On a narrow screen the picture is drawn as wide as it is shown, to keep its text legible.
      const [width, height, left, above, bottom, from, to] = [Math.min(560, innerWidth - 32), 260, 56, 18, 34, FROM, TO];
      const x = (multiple) => left + (width - left - 8) * Math.log(multiple / from) / Math.log(to / from);
      const y = (part) => above + (height - bottom - above) * (1 - part);
      const steps = ({ all, within }, begin) => {
        let path = "", last = -1;
        for (let bin = begin; bin <= BINS; bin += 1) {
          if (within[bin] === last && bin < BINS) continue;
          last = within[bin];
          path += `${path ? "H" : "M"}${(left + (width - left - 8) * bin / BINS).toFixed(1)}${path ? "V" : " "}${y(last / all).toFixed(1)}`;
        }
        return path;
      };
      const multiplesBy = Object.fromEntries([...procedure.options].filter(({ disabled }) => !disabled).map(({ value }) => [value, multiples(value)]));
      const axes = [];
      for (let part = 0; part <= 1; part += 0.25) axes.push(s("line", { class: "axis", x1: left, x2: width - 8, y1: y(part), y2: y(part) }), s("text", { class: "tick", x: left - 6, y: y(part) + 4, "text-anchor": "end" }, `${100 * part}%`));
      axes.push(...ticksAt(itemTicks(n * from, n * to, 4).map((items) => [items / n, grouped(items)]), x, height - 16, width));
      axes.push(...ticksAt([[1, `${grouped(n)} at hand`]], x, 11, width));
      axes.push(s("text", { class: "tick", x: (left + width) / 2, y: height - 2, "text-anchor": "middle" }, "items"));
      const others = Object.keys(multiplesBy).filter((by) => by !== chosen && by !== "verdict" && multiplesBy[by].all);
      const { all, within } = multiplesBy[chosen], part = (multiple) => within[binOf(multiple)] / all, begin = (by) => by === "verdict" ? binOf(1) : 0;
      const state = chosen !== "verdict" ? "resolved" : board.margin === null ? "different" : "different or equivalent", of = ofMany() ? `these ${grouped(all)} ${board.shown}` : "the pairs";
      const finding = all ? `${asPercent(part(1))}% of ${of} are ${state} on the ${count(n, "item")} at hand` : "No pair has a q under this procedure";
      axes.push(s("text", { class: "tick", transform: `translate(10 ${(height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, `pairs ${state}`));
      const more = !all || part(1) === 1 ? "" : chosen === "verdict" && !declared() ? "What more items would decide is known at the declared level and power. "
        : `On four times as many ${asPercent(part(4))}% would be${chosen === "verdict" ? "" : ", if the observed rates stay"}. `;
      const need = s("line", { class: "need", y1: above, y2: height - bottom });
      // Where the pair that is marked has its N*; at the edge where it lies beyond.
      showNeed = (pair) => {
        const at = pair && q(pair) > 0 ? Math.min(to, Math.max(from, 1 / q(pair))) : to;
        fill(need, { x1: x(at), x2: x(at), visibility: pair && hasQ(pair, chosen) ? "visible" : "hidden" }, []);
      };
      showNeed(null);
      body("share").replaceChildren(s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${finding}. ${more}`.trim() }, ...axes, need,
        ...others.map((by) => s("path", { class: "line", d: steps(multiplesBy[by], 0) }, s("title", {}, PROCEDURES[by][0]))),
        s("line", { class: "here", x1: x(1), x2: x(1), y1: above, y2: height - bottom }),
        ...(all ? [s("path", { class: "line chosen", d: steps(multiplesBy[chosen], begin(chosen)) }, s("title", {}, PROCEDURES[chosen][0]))] : [])));
      body("share").append(...picturing("share", () => body("share").querySelector("svg")));
      title("share", finding);
      about("share", `${more}Each line counts pairs of models. Dark: ${PROCEDURES[chosen][0]}; pale: the other procedures; dashed: the items at hand; thin line: N* of the marked pair.${board.tasks[t].kind === "average" ? " Items are those of all tasks, multiplied alike." : ""}`);
    };

    // All pairs of the task in bins, also those that are too many for this page.
    const drawLandscape = () => {
      const landscape = board.tasks[t].landscape;
      document.getElementById("landscape").hidden = !landscape;
      if (!landscape) return;
      const asShare = (part) => part > 0 && part < 0.0005 ? "< 0.1" : part < 1 && part > 0.9995 ? "> 99.9" : asPercent(part);
      const asGap = (gap) => gap === null ? "–" : grouped(100 * gap, 2);
      const inPoints = (gap) => Number((100 * gap).toPrecision(3));
      const span = (from, to) => from === to ? grouped(from) : `${grouped(from)}–${grouped(to)}`;
      const bar = (...parts) => {
        const drawn = s("svg", { class: "parts", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
        let x = 0;
        for (const [code, part] of parts) {
          drawn.append(s("rect", { class: `v v-${code}`, x, width: 100 * part, height: 10 }));
          x += 100 * part;
        }
        return h("td", { class: "share" }, drawn);
      };
      const table = (caption, columns, lines) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h("table", { class: "rows" }, h("caption", {}, caption), head(...columns), h("tbody", {}, ...lines)));
      const shares = (row, text, ...more) => h("tr", {}, h("th", { scope: "row" }, text),
        bar([A_BETTER, row.different / row.pairs], [EQUIVALENT, row.equivalent / row.pairs], [UNDETERMINED, row.undetermined / row.pairs]),
        h("td", { class: "right" }, asShare(row.different / row.pairs)), h("td", { class: "right" }, grouped(row.pairs)), ...more);
      const cells = (...texts) => h("tr", {}, ...texts.map((text, k) => h(k ? "td" : "th", k ? { class: "right" } : { scope: "row" }, text)));
      const strip = s("svg", { class: "tiers", viewBox: `0 0 ${landscape.n_models} 10`, preserveAspectRatio: "none", role: "img", "aria-label": `Groups of ranks ${landscape.tiers.map(([from, to]) => span(from, to)).join(", ")}` },
        ...landscape.tiers.map(([from, to]) => s("rect", { x: from - 1, width: to - from + 1, height: 10 }, s("title", {}, span(from, to)))));
      const named = landscape.tiers.slice(0, LISTED).map(([from, to]) => span(from, to)).join(", ");
      const whole = landscape.tiers.at(-1)[1] === landscape.n_models;
      const everyCut = "all models down to it are different from all further ones";
      body("landscape").replaceChildren(h("div", { class: "bins" },
        h("div", {},
          table("By distance in rank", [["Ranks apart"], ["Share"], ["Different, %", "right"], ["Pairs", "right"], ["Median gap", "right wide"]],
            landscape.by_distance.map((row) => shares(row, span(row.from_distance, row.to_distance), h("td", { class: "right wide" }, asGap(row.median_gap))))),
          table("Decided with more items like these", [["Items"], ["Share"], ["Decided, %", "right"], ["Pairs", "right"]],
            landscape.by_items.map((row) => h("tr", {}, h("th", { scope: "row" }, row.items === null ? "any number" : row.items === 1 ? "at hand" : `${row.items} times`),
              bar([A_BETTER, row.pairs / landscape.n_pairs], [UNDETERMINED, 1 - row.pairs / landscape.n_pairs]), h("td", { class: "right" }, asShare(row.pairs / landscape.n_pairs)), h("td", { class: "right" }, grouped(row.pairs)))))),
        table("By size of gap", [["Points"], ["Share"], ["Different, %", "right"], ["Pairs", "right"]],
          landscape.by_gap.filter((row) => row.pairs).map((row) => shares(row, row.from_gap === null ? "no item in common" : `${inPoints(row.from_gap)}–${inPoints(row.to_gap)}`))),
        table("Gaps that are different, by the mean accuracy of the pair", [["Accuracy, %"], ["Smallest", "right"], ["80% from", "right"], ["95% from", "right"], ["Largest undetermined", "right"]],
          landscape.by_accuracy.map((row) => cells(`${Math.round(100 * row.from_accuracy)}–${Math.round(100 * row.to_accuracy)}`, ...["smallest_different", "gap_80", "gap_95", "largest_undetermined"].map((key) => asGap(row[key]))))),
        table("How far a rank reaches", [["Rank"], ["First different below", "right"], ["All different from", "right"], ["Different and better", "right"], ["And worse", "right"], ["Undetermined", "right"]],
          landscape.by_rank.map((row) => cells(...["rank", "first_different", "all_different_from", "ahead", "behind", "undetermined"].map((key) => row[key] === null ? "–" : grouped(row[key]))))),
        h("div", { class: "across" }, h("h3", {}, `Fewest groups of ranks with no two different: ${whole ? "" : "more than "}${grouped(landscape.tiers.length)}`), strip,
          h("p", { class: "about" }, `${named}${landscape.tiers.length > LISTED ? ", …" : ""}. ${landscape.n_cuts ? `At ${count(landscape.n_cuts, "rank")} ${everyCut}.` : `There is no rank at which ${everyCut}.`}`))));
      about("landscape", `${count(landscape.n_pairs, "pair")} of ${count(landscape.n_models, "model")}, whichever are shown elsewhere; level ${board.alpha}, adjusted for the family, and power ${board.power}, as declared. Gaps in points, rounded down to 0.05. 80%, 95% from: smallest gap above which 80% (95%) of pairs are different, by isotonic regression. Decided with more items: with a chance of ${board.power}.`);
      const ten = landscape.by_items.find(({ items }) => items === 10);
      title("landscape", `Ten times the items would decide ${asShare(ten.pairs / landscape.n_pairs)}% of all pairs`);
    };

    const flips = () => {
      const names = Object.keys(PROCEDURES).filter((by) => by in outcomes.q && known(by));
      const chosen = procedure.value, inView = wanted();
      // Of each pair how many procedures apply, and by how many of them it is settled.
      const apply = new Uint8Array(rows().length), yes = new Uint8Array(rows().length);
      for (const by of names) {
        const isVerdict = by === "verdict", values = own(isVerdict ? outcomes.verdict : outcomes.q[by]);
        for (let k = 0; k < values.length; k += 1) {
          apply[k] += isVerdict || values[k] === values[k];
          yes[k] += isVerdict ? values[k] !== UNDETERMINED : values[k] >= 1;
        }
      }
      const kept = [], qs = own(outcomes.q[chosen]);
      let flipped = 0;
      for (let place = 0; place < inView.places.length; place += 1) {
        const k = inView.places[place], isOdd = yes[k] > 0 && yes[k] < apply[k];
        // Adjacent pairs come first, and all of them are kept.
        if (!isOdd && kept.length < place) continue;
        const pair = inView.pairs[place];
        if (isOdd && (chosen === "verdict" || qs[k] === qs[k])) flipped += 1;
        if (isOdd || pair.j === pair.i + 1) kept.push(pair);
      }
      const lines = kept.slice(0, LISTED).map((pair) => h("tr", { "data-g": pair.g },
        both(pair, `${pair.i}–${pair.j} `),
        ...names.map((by) => {
          if (!applies(pair, by)) return h("td", {}, "–");
          const yes = settled(pair, by), flip = applies(pair, chosen) && yes !== settled(pair, chosen);
          return h("td", { class: `${yes ? "yes" : "no"}${flip ? " flip" : ""}`, title: `${PROCEDURES[by][0]}: ${word(pair, by)}, q ${asQ(q(pair, by))}` },
            h("span", { role: "img", "aria-label": `${word(pair, by)}${flip ? ", flips" : ""}` }, yes ? "●" : "○"));
        })));
      body("flips").replaceChildren(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Pairs by procedure" }, h("table", { class: "rows flips" },
        h("caption", { class: "hidden-text" }, "Pairs by procedure"),
        head(["Pair"], ...names.map((by) => [PROCEDURES[by][0], by === chosen ? "chosen" : null])), h("tbody", {}, ...lines))));
      const more = kept.length - lines.length;
      title("flips", `${grouped(flipped)} of ${count(inView.pairs.length, "pair")} ${flipped === 1 ? "depends" : "depend"} on the procedure`);
      about("flips", `Each row: a pair of models. ● ${board.margin === null ? "different" : "different or equivalent"} (resolved), ○ not. Outlined: not as ${PROCEDURES[chosen][0]}. Shown: these and the adjacent pairs${more > 0 ? `, the first ${LISTED}; ${grouped(more)} more` : ""}.`);
    };

    const list = () => {
      const kept = inOrder("pairs", wanted().pairs);
      const lines = kept.slice(0, listed).map((pair) => h("tr", { "data-g": pair.g },
        h("td", { class: "wide" }, `${pair.i}–${pair.j}`),
        both(pair),
        h("td", {}, h("span", { class: `word v-${code(pair)}` }, word(pair))),
        h("td", { class: "right wide" }, chip(hasQ(pair, procedure.value) ? `q${step(q(pair))}` : "void"), h("data", { class: "q", value: written(q(pair)) }, asQ(q(pair)))),
        h("td", { class: "right" }, asPoints(pair.gap)),
        h("td", { class: "right wide" }, pair.lo === null || pair.hi === null ? "–" : `${asEnd(pair.lo)} to ${asEnd(pair.hi)}`),
        h("td", { class: "right wide" }, asP(pair.pf)),
        h("td", { class: "right wide" }, grouped(pair.n)),
        h("td", { class: "right needed" }, needed(pair))));
      const more = h("button", { type: "button", class: "more" }, `Show ${Math.min(LISTED, kept.length - lines.length)} more`);
      more.addEventListener("click", () => { listed += LISTED; list(); });
      body("pairs").replaceChildren(kept.length ? h("table", { class: "rows" },
        h("caption", { class: "hidden-text" }, "Pairs of models"),
        orderingHead("pairs", list, [["Ranks", "wide", "ranks"], ["Pair", null, "pair"], [PROCEDURES[procedure.value][0], null, "verdict"], ["q", "right wide", "q"], ["Gap", "right", "gap"], [intervals(), "right wide", "interval"], ["Family p", "right wide", "p"], ["Items", "right wide", "items"], ["New items", "right", "new"]]),
        h("tbody", {}, ...lines)) : h("p", { class: "none" }, "No pair matches."), ...(kept.length > lines.length ? [more] : []), saving("pairs", "csv", () => asCsv(kept)));
      about("pairs", `${grouped(kept.length)} of ${count(rows().length, "pair")}${orders.pairs ? "" : ", neighbors first"}; a head orders them, and a pair opens, on a click or Enter. ${inGaps()} New items: of a new run that decides the pair with a chance of 0.5 to ${board.power}${byClusters() ? ", in new clusters" : ""}.`, "p is adjusted for the whole family.");
    };

    const provenance = () => {
      const task = board.tasks[t];
      const tolerated = Object.entries(task.tolerated).map(([fault, by]) => `${fault}: ${Object.entries(by).map(([model, n]) => `${model} ${grouped(n)}`).join(", ")}`);
      const facts = [
        ["Scores", `${task.source}${task.revision ? `, revision ${task.revision}` : ""}`],
        ...(task.kind !== "average" ? [] : [["Weights", Object.entries(board.weights).map(([one, weight]) => `${one} ${Number(weight.toPrecision(3))}`).join(", ")]]),
        ["Data hash", task.kind === "average" ? "that of each task" : !task.files ? "not read from a file"
          : `${task.sha256}${task.files > 1 ? `, SHA-256 of the list of ${task.files} files as sha256sum writes it, sorted by name` : ", SHA-256 of the file"}`],
        ["Missing scores", { error: "none allowed", pairwise: "each pair on the items that both have", drop_items: "items that a model lacks are left out", weighted: "each pair on the items that both have, weighted by cluster" }[board.missing] ?? board.missing],
        ["Coverage", `${count(task.items, "item")}; ${task.coverage === 0 ? "some pairs share none of them" : `each pair on ${asPercent(task.coverage)}% of them or more`}`],
        ...(tolerated.length ? [["Accepted faults", tolerated.join("; ")]] : []),
        ["Family", `${count(task.family_pairs, "pair")}${siblings() > 1 ? ` of ${siblings()} tasks` : ""}, ${board.compared}${ofMany() ? `, of which this page has ${grouped(rows().length)} ${board.shown}` : ""}`],
        ...(board.cluster === null ? [] : [["Clusters", `${board.cluster}, ${board.clusters === "random" ? "a sample of further ones" : "all that are meant"}`]]),
        ["Test", `${tests()}${adjustment()}${board.margin === null ? "; no margin declared, so no pair is equivalent" : `; margin ${asMargin(board.margin)}`}`],
        ["Declared", `level ${board.alpha}, power ${board.power}`],
      ];
      const text = h("textarea", { readonly: "", rows: "4", "aria-label": "A sentence to copy" }, sentence());
      body("about").replaceChildren(h("dl", {}, ...facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value)))), text, copying(text, "Copy the sentence"));
    };

    const copying = (area, label) => {
      const button = h("button", { type: "button", class: "copy" }, label);
      button.addEventListener("click", async () => {
        area.select();
        try { await navigator.clipboard.writeText(area.value); } catch { document.execCommand("copy"); }
        button.textContent = "Copied";
        document.getElementById("announcement").textContent = "Copied";
      });
      return button;
    };

    // ---- One pair: its four cells, what each procedure says, and a claim to keep under test.
    const claim = (pair) => {
      const task = board.tasks[t], word = WORDS[pair.verdict];
      // A register fills in what stands in single braces.
      const quoted = (text) => yaml(text.replace(/[{}]/g, "$&$&"));
      const [first, second] = (pair.verdict === B_BETTER ? [pair.j, pair.i] : [pair.i, pair.j]).map(name);
      const better = pair.verdict === A_BETTER || pair.verdict === B_BETTER;
      return [
        "claims:",
        `  - claim: ${quoted(better ? `${first} beats ${second}` : `${first} and ${second} are ${word}`)}`,
        `    pair: [${quoted(first)}, ${quoted(second)}]`,
        `    states: {verdict: ${better ? "better" : word}}`,
        ...(siblings() > 1 ? [`    task: ${quoted(task.task)}`] : []),
        ...(task.result === "pairs.csv" ? [] : [`    result: ${quoted(task.result)}`]),
        // Beside the files of `resolve` stands what they rest on.
        ...(task.result.includes("/") && task.provenance === "raw" ? ["    evidence: raw"] : []),
      ].join("\n") + "\n";
    };
    const cells = (pair) => {
      const label = (rank, text) => [h("bdi", {}, name(rank)), ` ${text}`];
      if (board.tasks[t].kind !== "binary") return h("p", {}, `Scores ${asScore(pair.pa)} and ${asScore(pair.pb)}${measure.factor === 100 ? "%" : ` ${measure.unit}`.trimEnd()}${board.tasks[t].kind === "average" ? ", averages over tasks" : `; standard deviation of an item's difference ${inUnit(Math.sqrt(pair.var))}`}.`);
      return h("table", { class: "four" }, h("caption", { class: "hidden-text" }, "Items that both, one or neither solves"),
        h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, ...label(pair.j, "solves")), h("th", { scope: "col" }, "does not"))),
        h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, ...label(pair.i, "solves")), h("td", {}, grouped(pair.n11)), h("td", {}, grouped(pair.b))),
          h("tr", {}, h("th", { scope: "row" }, "does not"), h("td", {}, grouped(pair.c)), h("td", {}, grouped(pair.n00)))));
    };
    const tellAll = (pair) => {
      const facts = [
        ["Verdict", h("span", { class: `word v-${code(pair, "verdict")}` }, word(pair, "verdict"))],
        ["Gap", gapText(pair)],
        ...(pair.gap !== pair.delta && Number.isFinite(pair.gap) && "gap" in board.tasks[t].pairs ? [["Gap without weights", inUnit(pair.delta)]] : []),
        ["p, this pair alone", asP(pair.ps)], ["Family p", asP(pair.pf)],
        ["Items", grouped(pair.n)], ["New items", needed(pair)],
        ...(pair.turn === null || level() !== board.alpha ? [] : [["Chance a new sample changes the verdict", `${asPercent(pair.turn)}%`]]),
        ...Object.keys(PROCEDURES).filter((by) => by !== "verdict" && applies(pair, by)).map((by) => [`q, ${PROCEDURES[by][0]}`,
          h("data", { class: `by-${by}`, value: written(q(pair, by)) }, `${asQ(q(pair, by))}, N* ${asItems(pair.n / q(pair, by))}`)]),
      ];
      const area = h("textarea", { readonly: "", rows: "6", spellcheck: "false", "aria-label": "Claim for claims.yaml" }, claim(pair));
      const close = h("button", { type: "button", class: "close" }, "Close");
      close.addEventListener("click", () => dialog.close());
      dialog.replaceChildren(close,
        h("h2", { id: "pair-title" }, `${pair.i}–${pair.j}: `, h("bdi", {}, name(pair.i)), " against ", h("bdi", {}, name(pair.j))),
        cells(pair), h("dl", { class: "facts" }, ...facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value)))),
        h("p", {}, "To keep under test, in claims.yaml, which ", h("code", {}, "llm-power audit claims.yaml --results FOLDER"), " judges:"), area, copying(area, "Copy the claim"));
      if (!dialog.open) dialog.showModal();
    };

    // ---- What happens.
    let marksHeat = () => {};
    const mark = (g) => {
      if (g === marked) return;
      for (const element of document.querySelectorAll(".on")) element.classList.remove("on");
      marked = g;
      const pair = pairs.all[g] ?? null;
      showNeed(pair);
      marksHeat(pair);
      if (!pair) return;
      for (const element of document.querySelectorAll(`[data-g="${g}"], [data-m="${pair.i}"], [data-m="${pair.j}"]`)) element.classList.add("on");
    };
    // What a pair is, beside the pointer.
    const tip = document.getElementById("tip");
    const tell = (pair, event) => {
      tip.hidden = !pair;
      if (!pair) return;
      tip.replaceChildren(h("b", {}, `${pair.i}–${pair.j}: `, h("bdi", {}, name(pair.i)), " – ", h("bdi", {}, name(pair.j))),
        h("span", { class: `word v-${code(pair, "verdict")}` }, word(pair, "verdict")), h("span", {}, `gap ${gapText(pair)}`), h("span", {}, `${count(pair.n, "item")} at hand; new items: ${needed(pair)}`));
      const { width, height } = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
      tip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
    };
    // Pictures and rows as files.
    const saving = (panel, kind, made) => {
      const button = h("button", { type: "button", class: "save" }, `Save ${kind.toUpperCase()}`);
      button.addEventListener("click", async () => {
        const data = await made(), href = data.startsWith("data:") ? data : URL.createObjectURL(new Blob([data], { type: kind === "svg" ? "image/svg+xml" : "text/csv" }));
        h("a", { href, download: `${panel}.${kind}` }).click();
      });
      return button;
    };
    const picturing = (panel, made) => [["svg", standalone], ["png", raster]].map(([kind, as]) => saving(panel, kind, () => as(made())));
    const COLUMNS = [["rank_a", ({ i }) => i], ["rank_b", ({ j }) => j], ["model_a", ({ i }) => name(i)], ["model_b", ({ j }) => name(j)], ["verdict", (pair) => word(pair, "verdict")],
      ["alpha", level], ["power", target], ["procedure", () => procedure.value], ["outcome", (pair) => word(pair)], ["q", (pair) => written(q(pair))],
      ["gap", ({ gap }) => gap], ["gap_low", ({ lo }) => lo], ["gap_high", ({ hi }) => hi], ["p_family", ({ pf }) => pf], ["n_items", ({ n }) => n], ["items_even", ({ even }) => declared() ? even : null], ["items_assured", ({ need }) => declared() ? need : null]];
    const asCsv = (kept) => [COLUMNS.map(([column]) => column), ...kept.map((pair) => COLUMNS.map(([, of]) => of(pair) ?? ""))]
      .map((row) => row.map((cell) => /[",\n\r]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell).join()).join("\n") + "\n";
    const standalone = (drawn) => {
      // Styles are those of an element of the page.
      const alone = !drawn.isConnected, copy = drawn.cloneNode(true), parts = copy.querySelectorAll("*");
      if (alone) document.body.append(drawn);
      drawn.querySelectorAll("*").forEach((part, k) => {
        const style = getComputedStyle(part);
        for (const property of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "visibility"]) parts[k].setAttribute(property, style.getPropertyValue(property));
      });
      if (alone) drawn.remove();
      return new XMLSerializer().serializeToString(fill(copy, { xmlns: "http://www.w3.org/2000/svg" }, []));
    };
    const raster = async (drawn) => {
      const image = new Image(), canvas = h("canvas", { width: 2 * drawn.getAttribute("width"), height: 2 * drawn.getAttribute("height") }), paint = canvas.getContext("2d");
      image.src = `data:image/svg+xml,${encodeURIComponent(standalone(drawn))}`;
      await image.decode();
      paint.fillStyle = getComputedStyle(document.body).backgroundColor;
      paint.fillRect(0, 0, canvas.width, canvas.height);
      paint.drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL();
    };
    // What is shown stands in the address, so that a link leads to it; while a control moves, the address rests.
    let resting = 0, opened = null, returning = false;
    const view = () => {
      const state = Object.entries({ task: t, procedure: procedure.value, alpha: level(), power: target(), top: shown(), q: search.value, order: orders.pairs, ranked: orders.ranking });
      const usual = { task: 0, procedure: "verdict", alpha: board.alpha, power: board.power, top: models().length, q: "", order: "", ranked: "" };
      return new URLSearchParams(state.filter(([key, value]) => value !== usual[key]));
    };
    const remember = (step = "replaceState") => {
      const query = view();
      if (opened) query.set("pair", `${opened.i}-${opened.j}`);
      // Some browsers refuse a page on disk a changed address.
      try { history[step](step === "pushState" || (opened && history.state), "", query.size ? `#${query}` : location.pathname + location.search); } catch { /* the page goes on without */ }
    };
    // A pair that is opened is a step of the history, which closing it takes back.
    const open = (pair) => {
      remember();
      opened = pair;
      tellAll(pair);
      remember(history.state ? "replaceState" : "pushState");
    };
    dialog.addEventListener("close", () => {
      if (!opened) return;
      opened = null;
      returning = Boolean(history.state);
      if (returning) history.back();
      else remember();
    });
    const recall = () => {
      const state = new URLSearchParams(location.hash.slice(1)), pair = (state.get("pair") ?? "").split("-").map(Number);
      state.delete("pair");
      if (!outcomes || String(state) !== String(view())) {
        t = board.tasks[Number(state.get("task"))] ? Number(state.get("task")) : 0;
        reset(state.size ? state : null);
      }
      opened = pairOf(...pair) ?? null;
      if (opened) tellAll(opened);
      else dialog.close();
    };
    const known = (by) => {
      const { kind, pairs: columns, result } = board.tasks[t];
      if (by === "anytime") return by in outcomes.q && kind === "binary";
      if (by === "cluster") return "deff" in columns;
      return !["holm", "bh"].includes(by) || pairs.families.some((family) => family.whole && family.result === result);
    };
    const draw = () => {
      read();
      marked = null;
      alpha.parentElement.querySelector("b").textContent = level();
      power.parentElement.querySelector("b").textContent = target().toFixed(2);
      alpha.setAttribute("aria-valuetext", String(level()));
      power.setAttribute("aria-valuetext", target().toFixed(2));
      for (const option of procedure.options) option.disabled = !known(option.value);
      if (procedure.selectedOptions[0].disabled) { procedure.value = "verdict"; read(); }
      for (const panel of [headline, provenance]) panel();
      // Of many pairs the first panel in view is drawn at once, further ones in turn, those near it when the control rests, the others when they come near.
      for (const panel of drawn.values()) panel.due = true;
      const many = rows().length >= MANY, order = [...drawn.keys()];
      queue = many ? order.filter((element) => inView.has(element)) : order;
      for (const element of queue.splice(0, many ? 1 : queue.length)) drawDue(drawn.get(element));
      drawNext();
      clearTimeout(resting);
      resting = setTimeout(() => { remember(); queue.push(...near); drawNext(); }, 100);
    };
    const drawDue = (panel) => { if (panel.due) { panel.due = false; panel.draw(); } };
    const drawn = new Map(Object.entries({ ladder, ranking, heat, share, flips, list }).map(([id, panel]) => [document.getElementById(id === "list" ? "pairs" : id), { draw: panel, due: true }]));
    const inView = new Set([...drawn.keys()].slice(0, 3)), near = new Set();
    // One at a time, so that the next move of a control does not wait for all; soon, however fast they follow.
    let queue = [], drawing = 0;
    const drawNext = () => {
      if (drawing || !queue.length) return;
      drawing = requestIdleCallback(() => {
        drawing = 0;
        if (queue.length) drawDue(drawn.get(queue.shift()));
        drawNext();
      }, { timeout: 100 });
    };
    const observers = [[inView, "0px"], [near, "200px"]].map(([seen, rootMargin]) => new IntersectionObserver((entries) => {
      for (const { target: element, isIntersecting } of entries) {
        seen[isIntersecting ? "add" : "delete"](element);
        if (isIntersecting && outcomes) drawDue(drawn.get(element));
      }
    }, { rootMargin }));
    for (const element of drawn.keys()) for (const observer of observers) observer.observe(element);
    const choose = (next, focus) => {
      t = next;
      measure = board.measure;
      digits = measure.factor !== 100 ? measure.decimals : board.tasks[t].items < 1000 ? 1 : 2;
      cursor = null;
      top.max = models().length;
      top.value = models().length;
      [...document.getElementById("tabs").children].forEach((tab, k) => {
        tab.setAttribute("aria-selected", String(k === t));
        tab.tabIndex = k === t ? 0 : -1;
        if (k === t && focus) tab.focus();
      });
      drawLandscape();
      draw();
    };
    const judged = () => { read(); outcomes = judge(board, pairs, level(), target()); draw(); };
    const reset = (state) => {
      const place = (values, key, usual) => { const at = values.indexOf(Number(state?.get(key))); return at < 0 ? values.indexOf(usual) : at; };
      alpha.value = place(levels, "alpha", board.alpha);
      power.value = place(powers, "power", board.power);
      listed = LISTED;
      const asked = (key, among) => { const value = state?.get(key) ?? ""; return Object.hasOwn(among, value.replace("-", "")) ? value : ""; };
      orders.pairs = asked("order", KEYS.pairs);
      orders.ranking = asked("ranked", KEYS.ranking);
      read();
      outcomes = judge(board, pairs, level(), target());
      procedure.value = asked("procedure", outcomes.q) || "verdict";
      search.value = state?.get("q") ?? "";
      choose(t);
      if (Number(state?.get("top"))) { top.value = Number(state.get("top")); draw(); }
    };

    const offered = { anytime: "inflation", cluster: "deff" }, whole = pairs.families.some((family) => family.whole);
    procedure.append(...Object.entries(PROCEDURES).filter(([by]) => by in offered ? pairs.all.some((pair) => pair[offered[by]]) : whole || !["holm", "bh"].includes(by))
      .map(([by, [text]]) => h("option", { value: by }, text)));
    fill(alpha, { min: 0, max: levels.length - 1 }, []);
    fill(power, { min: 0, max: powers.length - 1 }, []);
    if (board.tasks.length > 1) {
      document.getElementById("tabs").append(...board.tasks.map(({ task }, k) => h("button", { type: "button", role: "tab", "aria-controls": "panels", "data-t": k }, h("bdi", {}, task))));
    }
    document.getElementById("tabs").addEventListener("click", (event) => {
      const tab = event.target.closest("[data-t]");
      if (tab) choose(Number(tab.dataset.t), true);
    });
    document.getElementById("tabs").addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) choose((t + by + board.tasks.length) % board.tasks.length, true);
    });
    procedure.addEventListener("change", draw);
    alpha.addEventListener("input", judged);
    power.addEventListener("input", judged);
    top.addEventListener("change", draw);
    search.addEventListener("input", () => { listed = LISTED; draw(); });
    form.addEventListener("reset", () => setTimeout(() => reset(null)));
    form.addEventListener("submit", (event) => event.preventDefault());
    const pairAt = (target) => {
      const element = target.closest?.("[data-g]");
      return element ? pairs.all[Number(element.dataset.g)] : null;
    };
    const panels = document.getElementById("panels");
    panels.addEventListener("pointerover", (event) => { const pair = pairAt(event.target); mark(pair?.g ?? null); tell(pair, event); });
    panels.addEventListener("pointerleave", () => { mark(null); tell(null); });
    addEventListener("scroll", () => tell(null), true);
    const recolor = () => { colors = {}; heat(); };
    document.getElementById("theme").addEventListener("click", recolor);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
    panels.addEventListener("focusin", (event) => { const pair = pairAt(event.target); if (pair) mark(pair.g); });
    panels.addEventListener("click", (event) => { const pair = pairAt(event.target); if (pair && getSelection().isCollapsed) open(pair); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.ctrlKey && !event.metaKey && !dialog.open && !document.activeElement.matches("input, textarea, select")) {
        event.preventDefault();
        search.focus();
      }
    });
    addEventListener("hashchange", () => {
      if (returning) { returning = false; remember(); } else if (!document.getElementById(location.hash.slice(1))) recall();
    });
    recall();
  };
  addEventListener("DOMContentLoaded", start);
})();
