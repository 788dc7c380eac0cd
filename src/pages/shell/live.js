// Updates the parts of a page that are marked `data-live` by requesting them again. Without this script, reloading the page does the same.
const ASK_EVERY_MS = 1500
const ASK_AFTER_FAILURE_MS = 10000

function keep(part) {
  const status = document.querySelector('[role=status]')
  const lines = () => [...part.querySelectorAll('li[id]')]
  // Lines that were there when the page was opened. The rest stays marked as new.
  const known = new Set(lines().map(({ id }) => id))
  let version = part.dataset.version
  let failures = 0
  const everyMs = part.dataset.every ? Number(part.dataset.every) * 1000 : ASK_EVERY_MS

  async function ask() {
    if (document.hidden) return everyMs
    const answer = await fetch(part.dataset.live, { headers: { 'if-none-match': version }, cache: 'no-store' })
    // The session has ended; the sign-in page says so.
    if (answer.redirected || answer.status === 404) return location.reload()
    if (!answer.ok && answer.status !== 304) throw new Error(String(answer.status))
    if (failures > 0 && status) status.textContent = ''
    failures = 0
    if (answer.status === 304) return everyMs
    version = answer.headers.get('etag') ?? ''
    show(await answer.text())
    return everyMs
  }

  // The answer holds each part under the id that it has on the page.
  function show(text) {
    const answer = document.createElement('template')
    answer.innerHTML = text
    for (const fresh of answer.content.children) {
      const piece = document.getElementById(fresh.id)
      // One that has not changed stays, with what is selected or scrolled in it.
      if (piece && contentOf(piece) !== contentOf(fresh)) replace(piece, fresh)
    }
    if (!part.dataset.announce) return
    const fresh = lines().filter(({ id }) => !known.has(id))
    for (const line of fresh) line.classList.add('fresh')
    const news = fresh.length === 0 ? '' : fresh.length === 1 ? '1 new email' : `${fresh.length} new emails`
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
  later(everyMs)
}

// Without the words of its times, which times.js changes.
function contentOf(piece) {
  const copy = piece.cloneNode(true)
  for (const time of copy.querySelectorAll('time')) {
    time.removeAttribute('title')
    time.textContent = ''
  }
  return copy.innerHTML
}

// The focus stays where it is, and what the reader has opened stays open.
function replace(piece, fresh) {
  const active = piece.contains(document.activeElement) ? document.activeElement : null
  const href = active?.getAttribute('href')
  const selector = href
    ? `[href="${CSS.escape(href)}"]`
    : active?.tagName === 'SUMMARY'
      ? `#${CSS.escape(active.parentElement.id)} > summary`
      : null
  const opened = new Map([...piece.querySelectorAll('details[id]')].map(({ id, open }) => [id, open]))
  piece.innerHTML = fresh.innerHTML
  for (const details of piece.querySelectorAll('details[id]')) if (opened.has(details.id)) details.open = opened.get(details.id)
  piece.dispatchEvent(new Event('replaced', { bubbles: true }))
  if (selector) piece.querySelector(selector)?.focus({ preventScroll: true })
}

for (const part of document.querySelectorAll('[data-live]')) keep(part)
