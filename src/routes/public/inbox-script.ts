/**
 * The only script of the inbox. It keeps the parts marked `data-live` up to date by asking for them again, and writes times in the reader's own
 * zone. Without it the pages do the same when they are reloaded.
 */
export const INBOX_SCRIPT = `'use strict'
const ASK_EVERY_MS = 1500
const ASK_AFTER_FAILURE_MS = 10000
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

function localise(root) {
  for (const time of root.querySelectorAll('time')) {
    time.title = time.dateTime
    time.textContent = times.format(new Date(time.dateTime))
  }
}

function keep(part) {
  const status = document.querySelector('[role=status]')
  const lines = () => [...part.querySelectorAll('li[id]')]
  // What was there when the page was opened; the rest stays marked as new.
  const known = new Set(lines().map(({ id }) => id))
  let version = part.dataset.version
  let failures = 0

  async function ask() {
    if (document.hidden) return ASK_EVERY_MS
    const answer = await fetch(part.dataset.live, { headers: { 'if-none-match': version }, cache: 'no-store' })
    // The session is over: the sign-in page says so.
    if (answer.redirected || answer.status === 404) return location.reload()
    if (!answer.ok && answer.status !== 304) throw new Error(String(answer.status))
    if (failures > 0 && status) status.textContent = ''
    failures = 0
    if (answer.status === 304) return ASK_EVERY_MS
    version = answer.headers.get('etag') ?? ''
    show(await answer.text())
    return ASK_EVERY_MS
  }

  function show(text) {
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null
    part.innerHTML = text
    localise(part)
    if (focused) part.querySelector('[href="' + CSS.escape(focused) + '"]')?.focus({ preventScroll: true })
    if (!part.dataset.announce) return
    const fresh = lines().filter(({ id }) => !known.has(id))
    for (const line of fresh) line.classList.add('fresh')
    const news = fresh.length === 0 ? '' : fresh.length === 1 ? '1 new email' : fresh.length + ' new emails'
    if (status && status.textContent !== news) status.textContent = news
  }

  function later(ms) {
    if (ms === undefined) return
    setTimeout(() => {
      ask().then(later, () => {
        failures += 1
        if (status) status.textContent = 'No answer from the service; trying again.'
        later(ASK_AFTER_FAILURE_MS)
      })
    }, ms)
  }
  later(ASK_EVERY_MS)
}

localise(document)
for (const part of document.querySelectorAll('[data-live]')) keep(part)
`
