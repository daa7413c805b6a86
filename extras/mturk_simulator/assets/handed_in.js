// Inside the frame: tell the page around it. Not framed, there is nobody to tell.
if (window.parent !== window) {
  window.parent.postMessage("stand-in: handed in", window.location.origin);
}
