// A form is sent once while its answer is on its way, however often its button is pressed. Without this script, the service judges each of them.
const ANSWERED_AFTER_MS = 5000

document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'yes'
  // The answer may be a file, which leaves the page as it is.
  setTimeout(() => delete form.dataset.sent, ANSWERED_AFTER_MS)
})
