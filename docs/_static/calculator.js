/**
 * The closed forms of `llm-power plan`, as functions that read no page and need no network.
 *
 * Answers have the names, the numbers and the sentence of `llm-power plan --format json`, but for the
 * sequential test, which is not in closed form. Numbers of equations are Kotawala's (2026) where no
 * other source is named. A gap, a margin and a share are in score units: .01 is one point.
 */
const LlmPower = (() => {
  "use strict";

  /** What cannot be asked, and the field that says so. */
  class Refused extends Error {
    constructor(field, message) {
      super(message);
      this.field = field;
    }
  }

  // Rounded inputs on an edge may lie beyond it by an error of representation.
  const EDGE = 1e-12;
  // Of more items the exact sums take too long: the normal law, as in the command.
  const MOST_COUNTED = 1e6;
  // Items, or clusters, that are as good as infinitely many.
  const ENDLESS = 1e15;
  // Shares of the planned items at which errors of a significant gap are told.
  const SHARES = [0.25, 0.5, 1];
  // Numbers of clusters that are told of, in multiples of the fewest.
  const MULTIPLES = [1, 1.5, 2, 4];
  // Numbers of repeats that are told of beside those asked for.
  const REPEATS = [1, 2, 5, 10, Infinity];
  const TEST_NAMES = {
    exact: "exact McNemar test",
    mid_p: "mid-p McNemar test",
    asymptotic: "McNemar's score test",
  };

  // ---------------------------------------------------------------- the normal law

  const poly = (coefficients, x) => coefficients.reduceRight((sum, c) => sum * x + c, 0);

  // Cody (1969), doi:10.1090/S0025-5718-1969-0247736-4, as in his ANORM (1993).
  const NEAR = [
    [18154.981253343561249, 1067.6894854603709582, 161.02823106855587881, 2.2352520354606839287,
      0.065682337918207449113],
    [45507.789335026729956, 10260.932208618978205, 976.09855173777669322, 47.20258190468824187, 1],
  ];
  const MIDDLE = [
    [9842.7148383839780218, 11602.651437647350124, 6848.1904505362823326, 2494.5375852903726711,
      597.27027639480026226, 93.506656132177855979, 8.8831497943883759412, 0.39894151208813466764,
      1.0765576773720192317e-8],
    [19685.429676859990727, 38912.003286093271411, 34900.952721145977266, 18615.571640885098091,
      6485.558298266760755, 1519.377599407554805, 235.38790178262499861, 22.266688044328115691, 1],
  ];
  const FAR = [
    [2.9112874951168792e-5, 0.001421619193227893466, 0.022235277870649807, 0.1274011611602473639,
      0.21589853405795699, 0.02307344176494017303],
    [7.29751555083966205e-5, 0.00378239633202758244, 0.0659881378689285515, 0.468238212480865118,
      1.28426009614491121, 1],
  ];

  /** Φ(x), to a relative error of about 1e-15 in the lower tail (Cody 1969). */
  const normalCdf = (x) => {
    const y = Math.abs(x);
    if (y <= 0.67448975) return 0.5 + x * poly(NEAR[0], x * x) / poly(NEAR[1], x * x);
    let ratio;
    if (y <= Math.sqrt(32)) {
      ratio = poly(MIDDLE[0], y) / poly(MIDDLE[1], y);
    } else {
      const s = 1 / (y * y);
      ratio = (1 / Math.sqrt(2 * Math.PI) - s * poly(FAR[0], s) / poly(FAR[1], s)) / y;
    }
    // The square is rounded in its small part alone.
    const coarse = Math.trunc(16 * y) / 16;
    const tail = ratio * Math.exp(-coarse * coarse / 2) * Math.exp(-(y - coarse) * (y + coarse) / 2);
    return x < 0 ? tail : 1 - tail;
  };

  // Wichura (1988), AS 241, doi:10.2307/2347330.
  const QUANTILE = [
    [
      [3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
        4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3],
      [1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3],
    ],
    [
      [1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
        1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4],
      [1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9],
    ],
    [
      [6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
        2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
      [1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15],
    ],
  ];

  /** Φ⁻¹(p), to a relative error of about 1e-16 (Wichura 1988, AS 241). */
  const normalQuantile = (p) => {
    const q = p - 0.5;
    if (Math.abs(q) <= 0.425) {
      const r = 0.180625 - q * q;
      return q * poly(QUANTILE[0][0], r) / poly(QUANTILE[0][1], r);
    }
    const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
    const [[above, below], from] = r <= 5 ? [QUANTILE[1], 1.6] : [QUANTILE[2], 5];
    return Math.sign(q) * poly(above, r - from) / poly(below, r - from);
  };

  /** z_{1-α/2} + z_{1-β}; the first from the lower tail, which keeps its digits at tiny levels. */
  const zSum = (alpha, power) => normalQuantile(power) - normalQuantile(alpha / 2);

  // ---------------------------------------------------------------- the paper's closed forms

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
  const requiredN = (delta, sigma, alpha, power) =>
    delta === 0 ? Infinity : (zSum(alpha, power) * sigma / Math.abs(delta)) ** 2;

  /** Smallest gap that n items resolve, eq. (4). */
  const minimumDetectableEffect = (n, sigma, alpha, power) => zSum(alpha, power) * sigma / Math.sqrt(n);

  /** Design effect of clusters of one size, section 6.4 (Kish 1965). */
  const designEffect = (size, icc) => 1 + (size - 1) * Math.max(icc, 0);

  /** Variance of an item's mean difference over repeats, in Miller's (2024) eqs. (9) and (10). */
  const repeatsVariance = (between, withinA, withinB, kA, kB) => between + withinA / kA + withinB / kB;

  /** Items of the asymptotic test with one variance a hypothesis (Connor 1987), not rounded. */
  const connorRequiredN = ({ p10, p01 }, alpha, power) => {
    const [psi, delta] = [p10 + p01, Math.abs(p10 - p01)];
    if (delta === 0) return Infinity;
    const [zLevel, zPower] = [-normalQuantile(alpha / 2), normalQuantile(power)];
    const reach = zLevel * Math.sqrt(psi) + zPower * Math.sqrt(Math.max(psi - delta * delta, 0));
    return (reach / delta) ** 2;
  };

  // ---------------------------------------------------------------- the binomial law

  const FACTORIALS = Array.from({ length: 16 }).reduce((made, _, n) => [...made, n ? made[n - 1] * n : 1], []);

  /** log n! less Stirling's formula (Loader 2000). */
  const stirlingError = (n) => {
    if (n < 16) return Math.log(FACTORIALS[n]) - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2;
    const s = 1 / (n * n);
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / n;
  };

  /** x log(x/m) + m - x, without cancellation near x = m (Loader 2000). */
  const deviance = (x, m) => {
    if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
    const v = (x - m) / (x + m);
    let [sum, term] = [(x - m) * v, 2 * x * v];
    for (let j = 3; ; j += 2) {
      term *= v * v;
      const next = sum + term / j;
      if (next === sum) return sum;
      sum = next;
    }
  };

  /** P(B = k) of B ~ Binomial(n, p), by Loader's (2000) saddle point. */
  const binomialPmf = (k, n, p) => {
    if (k < 0 || k > n) return 0;
    if (p === 0 || p === 1) return k === p * n ? 1 : 0;
    if (k === 0) return Math.exp(n * Math.log1p(-p));
    if (k === n) return Math.exp(n * Math.log(p));
    const log = stirlingError(n) - stirlingError(k) - stirlingError(n - k)
      - deviance(k, n * p) - deviance(n - k, n * (1 - p));
    return Math.exp(log) * Math.sqrt(n / (2 * Math.PI * k * (n - k)));
  };

  /** All counts of Binomial(n, p) but those that add nothing: the first, and the probabilities. */
  const binomialMass = (n, p) => {
    const mode = Math.min(Math.floor((n + 1) * p), n), odds = p / (1 - p);
    const [below, above] = [[], []];
    const top = binomialPmf(mode, n, p);
    for (let k = mode, mass = top; k > 0 && mass > 1e-20; k--) below.push(mass *= k / (n - k + 1) / odds);
    for (let k = mode, mass = top; k < n && mass > 1e-20; k++) above.push(mass *= (n - k) / (k + 1) * odds);
    return { low: mode - below.length, mass: Float64Array.from([...below.reverse(), top, ...above]) };
  };

  /** P(B <= k) of B ~ Binomial(m, p). */
  const lowerTail = (k, m, p) => {
    // Counts so far above the mean add nothing.
    const top = Math.min(k, Math.ceil(m * p + 12 * Math.sqrt(m * p * (1 - p)) + 40));
    let total = 0;
    for (let j = top, mass = binomialPmf(top, m, p); j >= 0 && (mass > 1e-17 * total || j > m * p); j--) {
      total += mass;
      mass *= j / (m - j + 1) * ((1 - p) / p);
    }
    return total;
  };

  /**
   * P(B <= k) of B ~ Binomial(m, p) for each m = low, low + 1, ... and its own k.
   *
   * From the last m down, one term each: P(B_m <= k) = P(B_{m+1} <= k) + p P(B_m = k).
   */
  const lowerTails = (counts, low, p) => {
    const tails = new Float64Array(counts.length), last = counts.length - 1;
    let tail = p > 0 && p < 1 ? lowerTail(counts[last], low + last, p) : 0;
    for (let i = last; i >= 0; i--) {
      const [k, m] = [counts[i], low + i];
      if (k < 0) tail = 0;
      else if (p === 0 || p === 1) tail = p === 0 ? 1 : 0;
      else if (i < last) {
        tail += p * binomialPmf(counts[i + 1], m, p);
        for (let j = counts[i + 1]; j > k; j--) tail -= binomialPmf(j, m, p);
      }
      tails[i] = Math.min(Math.max(tail, 0), 1);
    }
    return tails;
  };

  // ---------------------------------------------------------------- McNemar's tests

  /** Largest smaller count that rejects, of m = low, ..., high discordant items; -1 where none does. */
  const criticalCounts = (low, high, test, alpha) => {
    const counts = new Int32Array(high - low + 1), z = -normalQuantile(alpha / 2);
    const near = (m) => Math.max(Math.min(Math.floor((m - z * Math.sqrt(m)) / 2), Math.ceil(m / 2) - 1), -1);
    if (test === "asymptotic") return counts.map((_, i) => near(low + i));
    // A p-value that equals the level rejects, whatever its last digit.
    const rejects = (k, m, tail) =>
      2 * tail - (test === "mid_p" ? binomialPmf(k, m, 0.5) : 0) <= alpha * (1 + EDGE);
    let k = near(high);
    while (rejects(k + 1, high, lowerTail(k + 1, high, 0.5))) k++;
    let tail = lowerTail(k, high, 0.5);
    for (let m = high; m >= low; m--) {
      if (m < high && k >= 0) tail += binomialPmf(k, m, 0.5) / 2;
      while (k >= 0 && !rejects(k, m, tail)) tail -= binomialPmf(k--, m, 0.5);
      counts[m - low] = k;
    }
    return counts;
  };

  /** What is known of a test given m = low, ..., high discordant items. */
  const conditional = (low, high, { p10, p01 }, test, alpha) => {
    const psi = p10 + p01, counts = criticalCounts(low, high, test, alpha);
    const right = lowerTails(counts, low, Math.min(p10, p01) / psi);
    const wrong = lowerTails(counts, low, Math.max(p10, p01) / psi);
    return { low, counts, right, wrong, rejected: right.map((chance, i) => chance + wrong[i]) };
  };

  /** Numbers of discordant items that occur among least to most items. */
  const likelyDiscordant = (least, most, psi) => {
    const { low, mass } = binomialMass(most, psi);
    return [binomialMass(least, psi).low, low + mass.length - 1];
  };

  /** Mean of a function of the number of discordant items, given from `from` on. */
  const mean = (values, from, { low, mass }) => {
    let sum = 0;
    // Counts beyond the range have next to no probability.
    const [first, last] = [Math.max(0, from - low), Math.min(mass.length, values.length + from - low)];
    for (let i = first; i < last; i++) sum += mass[i] * values[low - from + i];
    return sum;
  };

  /** Exact unconditional power of McNemar's test among n items; both sides. */
  const mcnemarPower = (n, pair, test, alpha) => {
    const psi = pair.p10 + pair.p01;
    if (psi === 0) return 0;
    const given = conditional(...likelyDiscordant(n, n, psi), pair, test, alpha);
    return mean(given.rejected, given.low, binomialMass(n, psi));
  };

  /** Power, type S and type M error of McNemar's test among n items, summed over all tables. */
  const mcnemarDesignErrors = (n, pair, test, alpha) => {
    const psi = pair.p10 + pair.p01, theta = Math.max(pair.p10, pair.p01) / psi;
    const { low, counts, right, wrong, rejected } =
      conditional(...likelyDiscordant(n, n, psi), pair, test, alpha);
    // b - c of the better model where the test rejects: E[B; B <= k] = m θ P(B' <= k - 1) with
    // B' ~ Binomial(m - 1, θ), and both tails of B' from those of B and one probability.
    const sizes = rejected.map((_, i) => {
      const [m, k] = [low + i, counts[i]];
      if (k < 0) return 0;
      const lower = wrong[i] - (1 - theta) * binomialPmf(k, m - 1, theta);
      const upper = right[i] + (1 - theta) * binomialPmf(m - k - 1, m - 1, theta);
      return m * (wrong[i] - right[i]) + 2 * m * theta * (upper - lower);
    });
    const law = binomialMass(n, psi);
    const power = mean(rejected, low, law);
    const delta = Math.abs(pair.p10 - pair.p01);
    return {
      n_items: n,
      power,
      type_s: power > 0 ? mean(wrong, low, law) / power : null,
      type_m: power > 0 ? mean(sizes, low, law) / (power * n * delta) : null,
    };
  };

  /** The same by the normal law. */
  const normalDesignErrors = (n, pair, alpha) => {
    const z = -normalQuantile(alpha / 2), shift = Math.abs(pair.p10 - pair.p01) * Math.sqrt(n) / sigmaOf(pair);
    const wrong = normalCdf(-z - shift), right = normalCdf(shift - z);
    const density = [shift - z, shift + z].reduce((sum, x) => sum + Math.exp(-x * x / 2), 0) / Math.sqrt(2 * Math.PI);
    const power = wrong + right;
    return { n_items: n, power, type_s: wrong / power, type_m: (density / shift + right - wrong) / power };
  };

  const designErrors = (n, pair, test, alpha) =>
    n > MOST_COUNTED ? normalDesignErrors(n, pair, alpha) : mcnemarDesignErrors(n, pair, test, alpha);

  /**
   * Smallest number of items from which McNemar's test has the power for good.
   *
   * The power is a saw-tooth. It lies between the means of the largest non-decreasing minorant and
   * of the smallest non-decreasing majorant of the chance of a rejection given m; these are inverted
   * by bisection, and between the two every number is checked. Beyond a million it is Connor's.
   */
  const mcnemarRequiredN = (pair, test, alpha, power) => {
    const [psi, delta] = [pair.p10 + pair.p01, Math.abs(pair.p10 - pair.p01)];
    const connor = connorRequiredN(pair, alpha, power);
    if (connor === Infinity) return Infinity;
    if (connor > MOST_COUNTED) {
      const root = 1 + Math.sqrt(1 + 4 / (connor * delta));
      return Math.ceil(test === "exact" ? connor / 4 * root * root : connor);
    }
    const start = connorRequiredN(pair, alpha, Math.max(power, 0.5));
    const at = (values, from, n) => mean(values, from, binomialMass(n, psi));
    for (let span = 4 / Math.sqrt(start * psi); ; span *= 2) {
      const least = Math.max(1, Math.trunc(start * (1 - span)));
      const most = Math.trunc(start * (1 + span)) + 20;
      const { low, rejected } = conditional(...likelyDiscordant(least, most, psi), pair, test, alpha);
      const minorant = rejected.slice(), majorant = rejected.slice();
      for (let i = 1; i < majorant.length; i++) majorant[i] = Math.max(majorant[i], majorant[i - 1]);
      for (let i = minorant.length - 2; i >= 0; i--) minorant[i] = Math.min(minorant[i], minorant[i + 1]);
      if (least > 1 && at(majorant, low, least) >= power) continue;
      if (at(minorant, low, most) < power) continue;
      const firstOf = (values, from) => {
        let [fails, holds] = [from - 1, most];
        while (holds - fails > 1) {
          const middle = Math.floor((fails + holds) / 2);
          if (at(values, low, middle) >= power) holds = middle;
          else fails = middle;
        }
        return holds;
      };
      const first = firstOf(majorant, least);
      for (let n = firstOf(minorant, first); n >= first; n--) {
        if (at(rejected, low, n) < power) return n + 1;
      }
      return first;
    }
  };

  /** Smallest gap that McNemar's test finds among n items, at a discordance; both tails. */
  const mcnemarDetectableGap = (n, psi, test, alpha, power) => {
    if (psi === 0) return Infinity;
    const [low, high] = likelyDiscordant(n, n, psi);
    const counts = criticalCounts(low, high, test, alpha), law = binomialMass(n, psi);
    const found = (theta) =>
      mean(lowerTails(counts, low, theta), low, law) + mean(lowerTails(counts, low, 1 - theta), low, law) >= power;
    if (!found(1)) return Infinity;
    return (2 * bisect(0.5, 1, 40, found) - 1) * psi;
  };

  /** Where a condition begins to hold between two numbers, from above. */
  const bisect = (low, high, steps, holds) => {
    for (let step = 0; step < steps; step++) {
      const middle = (low + high) / 2;
      if (holds(middle)) high = middle;
      else low = middle;
    }
    return high;
  };

  // ---------------------------------------------------------------- equivalence

  /** Variance of one item's difference, fitted at the gap `delta` (Tango 1998, eq. (5)). */
  const scoreVariance = ({ p10, p01 }, delta) => {
    const size = Math.abs(delta), [smaller, larger] = delta < 0 ? [p10, p01] : [p01, p10];
    const spread = size * (1 - size);
    const linear = (2 - larger + smaller) * size - larger - smaller;
    const root = Math.sqrt(linear * linear + 8 * smaller * spread);
    const q = linear > 0 ? 2 * smaller * spread / (linear + root) : (root - linear) / 4;
    return 2 * q + spread;
  };

  /** Items of two one-sided score tests at a margin, by the normal law (Nam 1997); whole. */
  const equivalenceRequiredN = (pair, margin, alpha, power) => {
    const delta = pair.p10 - pair.p01, z = -normalQuantile(alpha);
    const sigma = Math.sqrt(Math.max(pair.p10 + pair.p01 - delta * delta, 0));
    const room = [margin - delta, margin + delta];
    if (Math.min(...room) <= 0) return Infinity;
    const fitted = [margin, -margin].map((at) => z * Math.sqrt(scoreVariance(pair, at)));
    const size = (oneSided) =>
      Math.max(...fitted.map((f, i) => Math.max(f + normalQuantile(oneSided) * sigma, 0) / room[i])) ** 2;
    const enough = (n) => {
      const tails = fitted.map((f, i) => normalCdf((f - Math.sqrt(n) * room[i]) / (sigma || 1)));
      return tails[0] + tails[1] <= 1 - power;
    };
    return Math.ceil(bisect(size(power), size((1 + power) / 2), 60, enough));
  };

  // ---------------------------------------------------------------- families

  /** Level that max-T leaves to each pair of M models: that of the range of normal variables. */
  const allPairsLevel = (models, alpha) => {
    const [far, steps] = [9, 1001], step = 2 * far / (steps - 1);
    const x = Array.from({ length: steps }, (_, i) => i * step - far);
    const weight = x.map((at) => models * Math.exp(-at * at / 2) * step / Math.sqrt(2 * Math.PI));
    const cdf = x.map(normalCdf);
    const covers = (range) =>
      x.reduce((sum, at, i) => sum + weight[i] * (cdf[i] - normalCdf(at - range)) ** (models - 1), 0) >= 1 - alpha;
    return 2 * normalCdf(-bisect(0, 2 * far, 60, covers) / Math.SQRT2);
  };

  const familySize = (asked) => asked.models === null ? asked.comparisons : asked.models * (asked.models - 1) / 2;

  /** Level of each pair: Bonferroni's, or that of max-T. */
  const levelOf = (asked) =>
    asked.models === null ? asked.alpha / asked.comparisons : allPairsLevel(asked.models, asked.alpha);

  // ---------------------------------------------------------------- Student's t, clusters, repeats

  /**
   * P(T > t) of a noncentral t: the mean of Φ(shift - t s) over s² ~ χ²/ν.
   *
   * By the trapezoid rule in log s, where the integrand is analytic and falls off on both sides, so
   * that its error falls exponentially with the number of steps.
   */
  const studentUpperTail = (t, freedom, shift) => {
    const logWeight = (u) => freedom * (u - Math.expm1(2 * u) / 2);
    // Φ bends at s = shift/t within 1/shift; where no weight is, the bend needs no steps.
    const bend = shift > 1 && logWeight(Math.log(shift / t)) > -60 ? shift : 1;
    const step = Math.min(0.1, 0.5 / Math.sqrt(2 * freedom + bend * bend));
    let [total, weights] = [0, 0];
    const add = (u) => {
      const log = logWeight(u);
      if (log < -45) return false;
      weights += Math.exp(log);
      total += Math.exp(log) * normalCdf(shift - t * Math.exp(u));
      return true;
    };
    for (let i = 0; add(i * step); i++);
    for (let i = 1; add(-i * step); i++);
    return total / weights;
  };

  const critical = new Map();

  /** Upper quantile of Student's t. */
  const studentQuantile = (freedom, tail) => {
    const key = `${freedom} ${tail}`;
    if (!critical.has(key)) {
      const reached = (t) => studentUpperTail(t, freedom, 0) <= tail;
      let high = 1;
      while (!reached(high)) high *= 2;
      critical.set(key, bisect(0, high, 54, reached));
    }
    return critical.get(key);
  };

  /** Power over K clusters of m items, t with K - 1 degrees of freedom; the near side, as eq. (2). */
  const clusterPower = (delta, sigma, icc, clusters, size, alpha) => {
    const shift = Math.abs(delta) / sigma * Math.sqrt(clusters / ((1 - icc) / size + icc));
    return studentUpperTail(studentQuantile(clusters - 1, alpha / 2), clusters - 1, shift);
  };

  /** Smallest whole number, from `least` on, at which a power that rises reaches the target. */
  const fewest = (powerOf, power, least) => {
    let [fails, holds] = [least - 1, least];
    while (powerOf(holds) < power) {
      [fails, holds] = [holds, 2 * holds];
      if (holds > ENDLESS) return Infinity;
    }
    while (holds - fails > 1) {
      const middle = Math.floor((fails + holds) / 2);
      if (powerOf(middle) >= power) holds = middle;
      else fails = middle;
    }
    return holds;
  };

  /** Fewest clusters of a size with the power; of `Infinity` items, that any number makes enough. */
  const clustersRequired = (delta, sigma, icc, size, alpha, power) =>
    delta === 0 ? Infinity
      : fewest((k) => clusterPower(delta, sigma, icc, k, Math.min(size, ENDLESS), alpha), power, 2);

  /** Fewest items of each of K clusters with the power; `Infinity` where no number is enough. */
  const clusterItemsRequired = (delta, sigma, icc, clusters, alpha, power) =>
    fewest((m) => clusterPower(delta, sigma, icc, clusters, m, alpha), power, 1);

  /** Smallest gap that the paired t test finds, at a standard deviation of an item's difference. */
  const studentDetectableGap = (n, sigma, alpha, power) => {
    if (sigma === 0) return 0;
    const found = (gap) => clusterPower(gap, sigma, 0, n, 1, alpha) >= power;
    let high = sigma;
    while (!found(high)) high *= 2;
    return bisect(0, high, 50, found);
  };

  // ---------------------------------------------------------------- what is asked

  const number = (given, field, { missing = null, whole = false } = {}) => {
    const text = String(given[field] ?? "").trim();
    if (text === "") return missing;
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Refused(field, `${field} must be a number, got "${text}"`);
    if (whole && !Number.isInteger(value)) throw new Refused(field, `${field} must be a whole number, got ${text}`);
    return value;
  };

  const needed = (given, field, options) => {
    const value = number(given, field, options);
    if (value === null) throw new Refused(field, `${field} is missing`);
    return value;
  };

  const refuse = (wrong, field, message) => {
    if (wrong) throw new Refused(field, message);
  };

  const within = (given, field, low, high) => {
    const value = needed(given, field);
    refuse(!(value >= low && value <= high), field, `${field} must lie in [${low}, ${high}], got ${value}`);
    return value;
  };

  const openUnit = (value, field) =>
    refuse(!(value > 0 && value < 1), field, `${field} must lie strictly between 0 and 1, got ${value}`);

  const atLeast = (value, field, least) =>
    refuse(value !== null && value < least, field, `${field} must be at least ${least}, got ${value}`);

  /** Level, power, test, margin, family and clusters of what was given; null where it was not. */
  const questionOf = (given) => {
    const asked = {
      alpha: number(given, "alpha", { missing: 0.05 }),
      power: number(given, "power", { missing: 0.8 }),
      test: given.test || "exact",
      margin: number(given, "margin"),
      comparisons: number(given, "comparisons", { missing: 1, whole: true }),
      models: number(given, "models", { whole: true }),
      clusters: number(given, "clusters", { whole: true }),
      icc: number(given, "icc"),
    };
    const { alpha, power, test, margin, comparisons, models, clusters, icc } = asked;
    openUnit(alpha, "alpha");
    openUnit(power, "power");
    refuse(power <= alpha, "power", `power must lie in (${general(alpha)}, 1), above alpha, got ${power}`);
    refuse(!(test in TEST_NAMES), "test", `test must be one of ${Object.keys(TEST_NAMES).join(", ")}`);
    if (margin !== null) {
      openUnit(margin, "margin");
      refuse(alpha >= 0.5, "alpha", `alpha must lie in (0, 0.5) for a margin, got ${alpha}`);
    }
    atLeast(comparisons, "comparisons", 1);
    atLeast(models, "models", 2);
    refuse(models !== null && comparisons !== 1, "models", "models must be given without comparisons");
    refuse((clusters === null) !== (icc === null), clusters === null ? "clusters" : "icc",
      "clusters and icc must be given together");
    refuse(clusters !== null && margin !== null, "margin", "margin is for items alone: leave out clusters and icc");
    atLeast(clusters, "clusters", 2);
    refuse(icc !== null && !(icc >= 0 && icc <= 1), "icc", `icc must lie in [0, 1], got ${icc}`);
    return asked;
  };

  /** Probabilities that A alone, and B alone, solves an item, from a gap and a discordance. */
  const pairOf = (gap, discordance) => {
    const p10 = Math.max((discordance + gap) / 2, 0);
    return { p10, p01: Math.max(discordance - p10, 0) };
  };

  const pairFromAccuracies = (pA, pB, { rho, agreement }) => {
    const [least, most] = admissibleDiscordance(pA, pB), gap = pA - pB;
    const who = `for p_a=${general(pA)} and p_b=${general(pB)}`;
    let discordance;
    if (rho !== null) {
      const [low, high] = admissibleRho(pA, pB);
      refuse(!(rho >= low - EDGE && rho <= high + EDGE), "rho",
        `rho must lie in [${general(low)}, ${general(high)}] ${who} (eqs. 7 and 8), got ${rho}`);
      // Eq. (5) is the discordance less the squared gap.
      discordance = pairedVariance(pA, pB, rho) + gap * gap;
    } else {
      discordance = 1 - agreement;
      refuse(!(discordance >= least - EDGE && discordance <= most + EDGE), "agreement",
        `agreement must lie in [${general(1 - most)}, ${general(1 - least)}] ${who}, got ${agreement}`);
    }
    return pairOf(gap, Math.min(Math.max(discordance, least), most));
  };

  // ---------------------------------------------------------------- answers

  const sigmaOf = ({ p10, p01 }) => Math.sqrt(Math.max(p10 + p01 - (p10 - p01) ** 2, 0));

  /** Power of the declared test among n items, or of that by clusters where it is smaller. */
  const powerOf = (pair, n, asked, level) => {
    if (pair.p10 === pair.p01) return null;
    const ofItems = n > MOST_COUNTED ? normalDesignErrors(n, pair, level).power
      : mcnemarPower(n, pair, asked.test, level);
    if (asked.clusters === null || ofItems === 0) return ofItems;
    const [delta, k] = [pair.p10 - pair.p01, asked.clusters];
    return Math.min(ofItems, clusterPower(delta, sigmaOf(pair), asked.icc, k, n / k, level));
  };

  /** Smallest gap that both the items' own test and that by clusters find among n items. */
  const detectableGap = (n, psi, asked, level) => {
    const low = mcnemarDetectableGap(n, psi, asked.test, level, asked.power);
    if (asked.clusters === null || low === Infinity) return low;
    const found = (gap) => {
      const [sigma, k] = [sigmaOf(pairOf(gap, psi)), asked.clusters];
      return sigma === 0 || clusterPower(gap, sigma, asked.icc, k, n / k, level) >= asked.power;
    };
    if (found(low)) return low;
    return found(psi) ? bisect(low, psi, 40, found) : Infinity;
  };

  const clustersOf = (pair, asked, level, own, n) => {
    const { clusters: k, icc, power } = asked;
    const [delta, sigma] = [pair.p10 - pair.p01, sigmaOf(pair)];
    refuse(sigma === 0, "clusters", "sigma_d must be positive, got 0: leave out clusters and icc");
    const perCluster = (count) =>
      Math.max(clusterItemsRequired(delta, sigma, icc, count, level, power), Math.ceil(own / count));
    const size = Math.ceil((n ?? own) / k);
    const more = Math.max(clustersRequired(delta, sigma, icc, size, level, power), Math.ceil(own / size));
    const least = clustersRequired(delta, sigma, icc, Infinity, level, power);
    const numbers = new Set([k, more, ...MULTIPLES.map((times) => Math.ceil(least * times))]);
    return {
      n_clusters: k,
      per_cluster: perCluster(k),
      fewest: least,
      size,
      n_clusters_needed: more,
      ways: [...numbers].sort((a, b) => a - b).map((count) => [count, perCluster(count)]),
    };
  };

  /** Closed forms of the paper and of Connor for a standard deviation, a gap and items at hand. */
  const closedForms = (gap, sigma, asked, level, n) => {
    const nStar = requiredN(gap, sigma, level, asked.power);
    return {
      sigma_d: sigma,
      n_star: nStar,
      mde: n === null ? null : minimumDetectableEffect(n, sigma, level, asked.power),
      q: n === null ? null : n / nStar,
    };
  };

  /** How many items a pair takes; `run` are the items of a run, `n` all that are at hand. */
  const planOf = (pair, asked, n = null, run = n) => {
    const level = levelOf(asked), delta = pair.p10 - pair.p01;
    const tests = Object.keys(TEST_NAMES);
    const [exact, mid_p, asymptotic] = tests.map((test) => mcnemarRequiredN(pair, test, level, asked.power));
    const own = { exact, mid_p, asymptotic }[asked.test];
    const closed = closedForms(delta, sigmaOf(pair), asked, level, n);
    const clusters = asked.clusters !== null && own < Infinity ? clustersOf(pair, asked, level, own, run) : null;
    let items = clusters === null ? own : clusters.n_clusters * clusters.per_cluster;
    let decided_as = items < Infinity ? "different" : "undetermined";
    const equivalence = asked.margin === null ? null : equivalenceRequiredN(pair, asked.margin, level, asked.power);
    if (equivalence !== null && equivalence < Infinity) [items, decided_as] = [equivalence, "equivalent"];
    const atStar = Math.max(Math.ceil(closed.n_star), 1);
    const sizes = [...new Set(SHARES.map((share) => Math.ceil(share * own)))];
    return {
      question: asked,
      level,
      pair,
      items,
      decided_as,
      exact,
      mid_p,
      asymptotic,
      n_star: closed.n_star,
      power_at_n_star: own < Infinity ? powerOf(pair, atStar, asked, level) : null,
      equivalence,
      holm: asked.models === null ? null
        : mcnemarRequiredN(pair, asked.test, asked.alpha / familySize(asked), asked.power),
      clusters,
      sizes: asked.clusters !== null || own === Infinity ? []
        : sizes.map((size) => designErrors(size, pair, asked.test, level)),
      at_hand: n === null ? null : {
        n_items: n,
        power: powerOf(pair, n, asked, level),
        detectable: detectableGap(n, pair.p10 + pair.p01, asked, level),
      },
      closed: { ...closed, connor: connorRequiredN(pair, level, asked.power) },
    };
  };

  /** Items that means of repeats take by the paired t test, or the gap that n items find. */
  const planRepeats = (given, asked) => {
    const level = levelOf(asked), law = [level, asked.power];
    const between = needed(given, "between"), withinA = needed(given, "within_a");
    const withinB = number(given, "within_b", { missing: withinA });
    const kA = number(given, "repeats_a", { missing: 1, whole: true });
    const kB = number(given, "repeats_b", { missing: kA, whole: true });
    for (const [field, value] of [["between", between], ["within_a", withinA], ["within_b", withinB]]) {
      refuse(value < 0, field, "between, within_a and within_b must not be negative");
    }
    atLeast(kA, "repeats_a", 1);
    atLeast(kB, "repeats_b", 1);
    const n = number(given, "n", { whole: true });
    refuse((n === null) === (number(given, "gap") === null), "gap", "give gap or n, one of the two");
    atLeast(n, "n", 2);
    const sigma = (a, b) => Math.sqrt(repeatsVariance(between, withinA, withinB, a, b));
    const own = sigma(kA, kB);
    refuse(own === 0, "between", "between, within_a and within_b must not all be 0");
    const gap = number(given, "gap") ?? studentDetectableGap(n, own, ...law);
    // Items are clusters of one: the test is Student's with an item less than there are.
    const items = (deviation) => deviation > 0 ? clustersRequired(gap, deviation, 0, 1, ...law) : 2;
    return {
      question: asked,
      level,
      gap,
      between,
      within_a: withinA,
      within_b: withinB,
      repeats_a: kA,
      repeats_b: kB,
      items: items(own),
      n_star: requiredN(gap, own, ...law),
      ways: REPEATS.map((k) => [k, items(sigma(k, k))]),
      gaps: n === null ? [] : REPEATS.map((k) => [k, studentDetectableGap(n, sigma(k, k), ...law)]),
      closed: closedForms(gap, own, asked, level, n),
    };
  };

  const atHand = (given) => {
    const n = number(given, "n", { whole: true });
    atLeast(n, "n", 1);
    return n;
  };

  // What each way of asking needs, and what it answers.
  const ANSWERS = {
    accuracies(given, asked) {
      const [pA, pB, n] = [within(given, "p_a", 0, 1), within(given, "p_b", 0, 1), atHand(given)];
      const [rho, agreement] = [number(given, "rho"), number(given, "agreement")];
      refuse(rho !== null && agreement !== null, "agreement", "give rho or agreement, one of the two");
      if (rho !== null || agreement !== null) {
        return planOf(pairFromAccuracies(pA, pB, { rho, agreement }), asked, n, null);
      }
      const [fewestPlan, most] = admissibleDiscordance(pA, pB)
        .map((discordance) => planOf(pairOf(pA - pB, discordance), asked, n, null));
      return { fewest: fewestPlan, most };
    },
    counts(given, asked) {
      const [b, c, n] = ["b", "c", "n"].map((field) => needed(given, field, { whole: true }));
      atLeast(b, "b", 0);
      atLeast(c, "c", 0);
      refuse(n < 1 || b + c > n, "n", `n must be positive and at least b + c, got ${n}`);
      return planOf({ p10: b / n, p01: c / n }, asked, n);
    },
    gap(given, asked) {
      const [gap, discordance, n] = [within(given, "gap", -1, 1), needed(given, "discordance"), atHand(given)];
      refuse(!(discordance >= Math.abs(gap) - EDGE && discordance <= 1 + EDGE), "discordance",
        `discordance must lie in [${general(Math.abs(gap))}, 1] for a gap of ${general(gap)}, got ${discordance}`);
      return planOf(pairOf(gap, discordance), asked, n, null);
    },
    items(given, asked) {
      const n = needed(given, "n", { whole: true }), discordance = within(given, "discordance", 0, 1);
      atLeast(n, "n", 1);
      refuse(n > MOST_COUNTED, "n", `n must be at most ${MOST_COUNTED} here, got ${n}`);
      const gap = detectableGap(n, discordance, asked, levelOf(asked));
      return { n_items: n, gap, plan: planOf(pairOf(Math.min(gap, discordance), discordance), asked, n) };
    },
    repeats: planRepeats,
  };

  /** Answer a question: `given.know` is how it is asked, the rest are the fields' texts. */
  const answer = (given) => {
    const found = ANSWERS[given.know](given, questionOf(given));
    return { sentence: sentenceOf(found), ...found };
  };

  // ---------------------------------------------------------------- in words

  /** A number as Python's format `g` writes it: ties to even, no zeros at the end. */
  const general = (value, digits = 6) => {
    if (!Number.isFinite(value) || value === 0) return value === 0 ? "0" : String(value);
    let text = value.toExponential(digits - 1);
    // The exact decimal expansion of a float has fewer digits than toExponential may give.
    const rest = value.toExponential(100).split("e")[0].replace(/^-?\d\.?/, "").slice(digits - 1);
    if (/^50*$/.test(rest) && "13579".includes(text.split("e")[0].slice(-1))) {
      text = (value * (1 - 2 ** -52)).toExponential(digits - 1);
    }
    const [mantissa, power] = text.split("e"), exponent = Number(power);
    const plain = (t) => t.includes(".") ? t.replace(/\.?0+$/, "") : t;
    if (exponent >= -4 && exponent < digits) return plain(Number(text).toFixed(digits - 1 - exponent));
    return `${plain(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  };

  /** A whole number with separators; "never" where no number is enough. */
  const whole = (value) =>
    value === Infinity ? "never" : Math.ceil(value - 1e-9).toLocaleString("en-US");

  /** A gap in points to three digits; rounded up, if so much must be enough. */
  const points = (gap, up = false) => {
    let size = 100 * Math.abs(gap);
    if (!Number.isFinite(size)) return "no size";
    if (up && size > 0) {
      const unit = 10 ** (Math.floor(Math.log10(size)) - 2);
      size = Math.ceil(size / unit - 1e-9) * unit;
    }
    const text = general(size, 3);
    return `${text} point${text === "1" ? "" : "s"}`;
  };

  const article = (test) => TEST_NAMES[test].replace("McNemar's", "McNemar");

  const counted = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

  const BOTH_TESTS = "test by clusters and that of the items";

  const shared = ({ clusters, items }) =>
    `${counted(items, "item")}, ${whole(clusters.per_cluster)} from each of ${whole(clusters.n_clusters)} clusters`;

  const clustersSentence = (found) => {
    const { question, clusters, pair } = found;
    const gap = points(pair.p10 - pair.p01), { size, n_clusters_needed: needs } = clusters;
    const more = `${whole(needs)} clusters of ${counted(size, "item")}`;
    if (clusters.per_cluster === Infinity) {
      return `${whole(clusters.n_clusters)} clusters are never enough at an ICC of ${general(question.icc)}, `
        + `however many items they have: plan ${more}, ${whole(needs * size)} in all, for the gap of ${gap}; `
        + `with fewer than ${whole(clusters.fewest)} clusters it is impossible.`;
    }
    return `Plan ${shared(found)}: the ${BOTH_TESTS} then find the gap of ${gap} with power `
      + `${general(question.power)}; ${more} do as well.`;
  };

  const repeatsSentence = (plan) => {
    const k = plan.repeats_a === plan.repeats_b ? `${counted(plan.repeats_a, "answer")} of each model`
      : `${counted(plan.repeats_a, "answer")} of A and ${whole(plan.repeats_b)} of B`;
    const power = general(plan.question.power);
    if (plan.items === Infinity) return "No number of items tells models apart whose gap is zero.";
    if (plan.gaps.length) {
      return `Gaps of ${points(plan.gap, true)} or more are found with power ${power} by the paired t test, `
        + `with ${k} to every item.`;
    }
    return `Plan ${whole(plan.items)} items with ${k} to every one: the paired t test then finds the gap of `
      + `${points(plan.gap)} with power ${power}.`;
  };

  /** The number to take, in a sentence: that of `llm-power plan`. */
  const sentenceOf = (found) => {
    if ("fewest" in found && "most" in found) {
      const { most } = found;
      if (most.items === Infinity) {
        return most.clusters ? `At the lowest correlation ${sentenceOf(most)}` : sentenceOf(most);
      }
      return `Plan ${most.clusters ? shared(most) : counted(most.items, "item")}: enough at every correlation of the scores that the `
        + `accuracies admit; ${whole(found.fewest.items)} are, at the highest.`;
    }
    if ("plan" in found) {
      const { question: { power, test }, clusters, pair } = found.plan;
      if (pair.p10 + pair.p01 === 0) return "Models that never differ on an item are told apart by no number of items.";
      if (found.gap === Infinity) {
        const never = clusters !== null && clusters.per_cluster === Infinity;
        return `No gap is found among ${counted(found.n_items, "item")}`
          + (never ? ` from ${clusters.n_clusters} clusters: plan more clusters.` : ": plan more.");
      }
      return `${whole(found.n_items)} items find gaps of ${points(found.gap, true)} or more with power `
        + `${general(power)}, by the ${clusters ? BOTH_TESTS : article(test)}.`;
    }
    if ("repeats_a" in found) return repeatsSentence(found);
    const { question, pair, items, decided_as: decided } = found, gap = points(pair.p10 - pair.p01);
    if (decided === "equivalent") {
      return `Plan ${counted(items, "item")}: two one-sided score tests then show that the gap, here ${gap}, is `
        + `within ${points(question.margin)}, with power ${general(question.power)}.`;
    }
    if (found.clusters !== null) return clustersSentence(found);
    if (decided === "undetermined") {
      return "No number of items tells models apart whose gap is zero; to show that it is within a margin, "
        + "give --margin.";
    }
    const within = question.margin === null ? "" : `A gap of ${gap} is not within ${points(question.margin)}. `;
    return `${within}Plan ${counted(items, "item")}: the ${article(question.test)} then finds the gap of ${gap} with power `
      + `${general(question.power)}, as with any larger number.`;
  };

  return {
    Refused, TEST_NAMES, admissibleDiscordance, admissibleRho, answer, article, binomialPmf, designEffect,
    familySize, general, normalCdf, normalQuantile, points, studentQuantile, studentUpperTail, whole,
  };
})();
if (typeof module !== "undefined") module.exports = LlmPower;
