// Moving between pages. A sandboxed frame has an origin of its own, which may not do it all.

function allowed(action) {
  try {
    action();
    return true;
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
    return false;
  }
}

export function goTo(url) {
  if (!allowed(() => location.replace(url))) location.assign(url);
}

// What a reload would show. Where this is not allowed the old address stays: it leads to the
// current task as well, until its token expires.
export function renameAddress(url) {
  allowed(() => history.replaceState(null, "", url));
}
