// Tables: sorted by a click on a column, saved as CSV, copied.
(() => {
  const exact = (cell) => cell.dataset.v ?? cell.textContent;
  const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const rows = (table) => [...table.rows].map((row) => [...row.cells].map(exact));

  const sort = (table, column, falling) => {
    const body = table.tBodies[0];
    const value = (row) => exact(row.cells[column]);
    const numbers = table.tHead.rows[0].cells[column].classList.contains("n");
    const compare = numbers
      ? (a, b) => (a === "" ? Infinity : Number(a)) - (b === "" ? Infinity : Number(b)) || 0
      : (a, b) => a.localeCompare(b, undefined, { numeric: true });
    const sign = falling ? -1 : 1;
    const sorted = [...body.rows].sort((a, b) => sign * compare(value(a), value(b)));
    body.append(...sorted);
  };

  for (const table of document.querySelectorAll(".numbers table")) {
    // A mark of a figure finds its row wherever sorting puts it.
    [...table.tBodies[0].rows].forEach((row, number) => (row.dataset.row = number));
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        sort(table, column, falling);
      });
    });
  }

  for (const tools of document.querySelectorAll(".tools")) {
    tools.hidden = false;
    const table = tools.parentElement.querySelector("table");
    const status = tools.querySelector("[role=status]");
    tools.addEventListener("click", async (event) => {
      const button = event.target.closest("button");
      if (button?.dataset.do === "csv") {
        const text = rows(table).map((row) => row.map(quoted).join(",") + "\n").join("");
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
        link.download = button.dataset.file;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        status.textContent = "Saved.";
      } else if (button?.dataset.do === "copy") {
        const text = rows(table).map((row) => row.map((cell) => cell.replace(/[\t\r\n]/g, " ")).join("\t")).join("\n");
        try {
          await navigator.clipboard.writeText(text);
          status.textContent = "Copied.";
        } catch {
          // Pages that are opened from a file may not have the clipboard: the rows are marked for the user's own copy.
          getSelection().selectAllChildren(table);
          status.textContent = "Marked: press Ctrl+C.";
        }
      }
    });
  }
})();
