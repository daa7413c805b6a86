// Where the texts of an item stand side by side, the one to rate is in view when its task begins.
document.addEventListener("started", () => {
  document.querySelector(".rated")?.scrollIntoView({ block: "nearest" });
});
