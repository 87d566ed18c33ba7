// Letters and digits pick an entry of a list, wherever the list is shown.

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

// The link that a key stands for: its letter, or the place in the list for a digit.
export function picked(list, key) {
  if (/^[1-9]$/.test(key)) {
    return list.querySelector(`[data-rank="${key}"] a, a[data-rank="${key}"]`);
  }
  return /^[a-z]$/.test(key) ? list.querySelector(`[data-pick="${key}"]`) : null;
}

export function pickByKey(event, list) {
  if (!list || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (typing(event.target)) return false;
  const link = picked(list, event.key);
  if (!link) return false;
  event.preventDefault();
  link.focus();
  link.click();
  return true;
}
