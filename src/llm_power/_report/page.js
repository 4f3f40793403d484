/** What every page shares: its theme, numbers, the normal quantile, and elements by name. */
const Page = (() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  // Storage is refused to some local files; the theme then lasts as long as the page.
  const THEMES = ["auto", "light", "dark"];
  const recall = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* see above */ } };
  const setTheme = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  let theme = THEMES.includes(recall()) ? recall() : "auto";
  setTheme(theme);

  addEventListener("DOMContentLoaded", () => {
    const themeButton = document.getElementById("theme");
    if (themeButton === null) return;
    const themeName = themeButton.querySelector("span");
    themeName.textContent = theme;
    themeButton.addEventListener("click", () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      setTheme(theme);
      remember(theme);
      themeName.textContent = theme;
    });
  });

  // The normal quantile: Wichura (1988), AS 241, relative error about 1e-16.
  const poly = (c, r) => {
    let sum = 0;
    for (let k = c.length - 1; k >= 0; k -= 1) sum = sum * r + c[k];
    return sum;
  };
  const [A, B, C, D, E, F] = [
    [3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
      4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3],
    [1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
      2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3],
    [1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4],
    [1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
      1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9],
    [6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
    [1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15],
  ];
  const ndtri = (p) => {
    const q = p - 0.5;
    if (Math.abs(q) <= 0.425) {
      const r = 0.180625 - q * q;
      return q * poly(A, r) / poly(B, r);
    }
    const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
    return Math.sign(q) * (r <= 5 ? poly(C, r - 1.6) / poly(D, r - 1.6) : poly(E, r - 5) / poly(F, r - 5));
  };
  /** z_{1-α/2} + z_{1-β}; the first from the lower tail, which keeps its digits at tiny levels. */
  const zSum = (level, power) => ndtri(power) - ndtri(level / 2);

  // Numbers as they are read.
  const formats = [];
  const grouped = (x, digits = 0) => (formats[digits] ??= new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })).format(x);
  /** A number of items, rounded up. */
  const asItems = (n) => Number.isNaN(n) ? "–" : Number.isFinite(n) ? grouped(Math.ceil(n - 1e-9)) : "no number";
  const count = (n, what) => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;

  // Elements by name; texts are texts and never markup.
  const SVG = "http://www.w3.org/2000/svg";
  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const h = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
  const s = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
  /** The head of a table, from the content, the class and further attributes of each column. */
  const head = (...cells) => h("thead", {}, h("tr", {}, ...cells.map(([text, kind, more]) => h(text ? "th" : "td", { scope: text ? "col" : null, class: kind, ...more }, text))));

  return { ndtri, zSum, grouped, asItems, count, fill, h, s, head };
})();
