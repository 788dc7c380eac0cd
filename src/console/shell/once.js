// A form is sent once while its answer is on its way, however often its button is pressed. Buttons that lead elsewhere count alone. Without this script, the service judges each of them.
const ANSWERED_AFTER_MS = 5000

document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  const { dataset } = event.submitter?.hasAttribute('formaction') ? event.submitter : form
  if (dataset.sent) return event.preventDefault()
  dataset.sent = 'yes'
  // The answer may be a file, which leaves the page as it is.
  setTimeout(() => delete dataset.sent, ANSWERED_AFTER_MS)
})
