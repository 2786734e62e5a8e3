// The budget of `select`: the path is nested, so the selection at any step is the steps up to it.
(() => {
  const short = (value) => {
    const size = Math.abs(value);
    if (!Number.isFinite(value)) return "\u2013";
    if (value === 0) return "0";
    if (size >= 1e7 || size < 1e-4) return value.toExponential(1).replace("e+", "e");
    const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : 5;
    const text = value.toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
    return size >= 1000 ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
  };

  const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  // An error within its standard error of 0 says no more than what it is below.
  const below = (step) =>
    step.cv_loss == null || step.cv_se == null || step.cv_loss > step.cv_se ? null : Math.max(0, step.cv_loss) + 2 * step.cv_se;

  for (const section of document.querySelectorAll("section")) {
    const slider = section.querySelector("input[type=range]");
    if (!slider) continue;
    const outcome = JSON.parse(section.querySelector("script.data").textContent);
    const path = outcome.path;
    const field = (name, text) => section.querySelectorAll(`[data-f="${name}"]`).forEach((at) => (at.textContent = text));

    const judged = (step) => {
      const counts = new Map();
      for (const taken of path.slice(0, step)) {
        counts.set(taken.attribute, (counts.get(taken.attribute) ?? 0) + taken.judgments);
      }
      return counts;
    };

    const move = () => {
      const step = Number(slider.value);
      const counts = judged(step);
      const now = path[step - 1];
      const next = path[step] ?? outcome.next;
      const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
      field("spent", short(now.spent));
      field("judgments", String(total));
      field("all-judgments", counted(total, "judgment"));
      field("all-attributes", counted(counts.size, "attribute"));
      const error = now.cv_loss ?? now.projected_loss;
      const most = below(now);
      field("error", most == null ? short(error) : `below ${short(most)}`);
      field("root", most == null ? short(Math.sqrt(Math.max(0, error))) : `below ${short(Math.sqrt(most))}`);
      const sure = now.cv_se == null ? "" : `standard error ${short(now.cv_se)}`;
      field("se", most == null ? sure : "not distinguishable from 0");
      // Scoring is best by its own count alone.
      const bound = outcome.method === "scoring" ? null : path.slice(step - 1).find((later) => later.upper_bound != null)?.upper_bound;
      const left = bound == null ? null : Math.max(0, bound - now.explained);
      field("gain", left == null ? "not known" : `${short(left)} more`);
      field("gain-share", left == null ? "" : `${short((100 * left) / outcome.label.variance)}% of the label's variance`);
      field("next", path[step] ? shown(path[step].attribute) : last);
      field("price", next ? `for ${short(next.spent - now.spent)} more` : "");
      slider.setAttribute("aria-valuetext", `${short(now.spent)} per object`);
      bars(counts);
      curve(step);
      points(counts);
      table(counts);
    };

    const bars = (counts) => {
      for (const svg of section.querySelectorAll(".judgments svg.figure")) {
        const unit = Number(svg.dataset.unit);
        const rest = new Map(counts);
        for (const mark of svg.querySelectorAll(".mark")) {
          const name = names[mark.dataset.row];
          const n = name === undefined ? [...rest.values()].reduce((sum, k) => sum + k, 0) : (counts.get(name) ?? 0);
          rest.delete(name);
          mark.querySelector(".bar").setAttribute("width", (n * unit).toFixed(1));
          mark.querySelector(".note").textContent = String(n);
        }
      }
    };

    const table = (counts) => {
      for (const row of section.querySelectorAll(".judgments .numbers tbody tr")) {
        const cell = row.cells[1];
        const n = counts.get(names[row.dataset.row]) ?? 0;
        cell.textContent = String(n);
        delete cell.dataset.v;
      }
    };

    const curve = (step) => {
      for (const svg of section.querySelectorAll("svg.figure")) {
        const line = svg.querySelector("line.here");
        const spot = line && svg.querySelector(`.spot[data-row="${step - 1}"]`);
        if (!spot) continue;
        line.setAttribute("x1", spot.getAttribute("cx"));
        line.setAttribute("x2", spot.getAttribute("cx"));
      }
    };

    const points = (counts) => {
      for (const point of section.querySelectorAll(".point")) {
        const chosen = counts.has(outcome.attributes[point.dataset.row]?.attribute);
        point.classList.toggle("f0", chosen);
        point.classList.toggle("hollow", !chosen);
      }
    };

    // The rows of the bars, in the order in which attributes enter.
    const names = [...new Set(path.map((taken) => taken.attribute))];
    // Names as the table has them: long ones are cut there, and what cannot be seen is replaced.
    const cells = [...section.querySelectorAll(".judgments .numbers tbody tr")].map((row) => row.cells[0].textContent);
    const shown = (name) => cells[names.indexOf(name)] ?? name;
    const last = section.querySelector('[data-f="next"]').textContent;
    section.querySelector(".controls [hidden]")?.removeAttribute("hidden");
    slider.addEventListener("input", move);
    move();
  }
})();
