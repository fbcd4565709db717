// Live parts and small comforts. Every page can be read and used without this file.
"use strict";

(() => {
  const busyForms = document.querySelectorAll("form[data-busy]");
  busyForms.forEach((form) =>
    form.addEventListener("submit", (event) => {
      const button = event.submitter;
      if (!button) return;
      // The pressed button's name must still be sent: disable it after the form data is taken.
      setTimeout(() => {
        button.disabled = true;
        button.textContent = form.dataset.busy;
      });
    }),
  );

  const addCopyButton = (box) => {
    if (box.querySelector("button")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(box.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    box.append(button);
  };
  const addCopyButtons = () => document.querySelectorAll(".copy").forEach(addCopyButton);
  addCopyButtons();
  const result = document.getElementById("result");
  if (result) new MutationObserver(addCopyButtons).observe(result, { childList: true });

  const job = document.querySelector("[data-job]");
  if (job) {
    const look = setInterval(async () => {
      const answer = await fetch(job.dataset.job);
      if (!answer.ok) return clearInterval(look);
      const now = await answer.json();
      job.querySelector("[data-lines]").textContent = now.lines.join("\n") || "starting";
      job.querySelector("[data-seconds]").textContent = `${now.seconds} s`;
      if (now.state !== "running") {
        clearInterval(look);
        location.replace(job.dataset.then);
      }
    }, 500);
  }

  const live = document.querySelector('[data-live="call"]');
  const badge = document.querySelector("[data-pending]");
  const reload = document.querySelector('[data-reload-on="approvals"]');
  if (!badge) return;
  const events = new EventSource("/events");
  events.addEventListener("call", (event) => {
    if (!live) return;
    live.insertAdjacentHTML("afterbegin", event.data); // rendered and escaped by the server
    live.firstElementChild.classList.add("fresh");
    while (live.children.length > 50) live.lastElementChild.remove();
  });
  let first = true;
  events.addEventListener("approvals", (event) => {
    const changed = badge.textContent !== event.data;
    badge.textContent = event.data;
    badge.classList.toggle("quiet", event.data === "0");
    if (reload && changed && !first) location.reload();
    first = false;
  });
  window.addEventListener("pagehide", () => events.close());
})();
