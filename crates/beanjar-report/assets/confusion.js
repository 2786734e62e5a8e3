// The confusion matrix of the worker that is chosen from the list, or by a click on the worker's mark.
(() => {
  for (const box of document.querySelectorAll(".confusion")) {
    const { classes, matrices } = JSON.parse(box.querySelector("script").textContent);
    const choice = box.querySelector("select");
    const out = box.querySelector(".matrix");
    const cell = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });

    const show = () => {
      const matrix = matrices[choice.value];
      const table = document.createElement("table");
      const head = table.createTHead().insertRow();
      head.append(cell("th", "true class"), ...classes.map((name) => cell("th", `says ${name}`)));
      const body = table.createTBody();
      matrix.forEach((shares, i) => {
        const row = body.insertRow();
        const name = cell("th", classes[i]);
        name.scope = "row";
        row.append(name, ...shares.map((share) => cell("td", `${(100 * share).toFixed(0)}%`)));
      });
      out.replaceChildren(table);
    };

    box.hidden = false;
    choice.addEventListener("change", show);
    box.closest("figure").addEventListener("click", (event) => {
      const row = event.target.closest(".mark")?.dataset.row;
      if (row !== undefined && matrices[row]) {
        choice.value = row;
        show();
      }
    });
    show();
  }
})();
