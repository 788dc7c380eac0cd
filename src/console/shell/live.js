// Keeps the parts of a page that are marked `data-live` up to date, by a stream of server-sent events while someone looks. If the service refuses
// the stream, they are requested from time to time. Without this script, reloading the page does the same.
const ASK_EVERY_MS = 10000
// After so many questions the stream is tried again.
const ASKED_MAX = 6
const UNANSWERED = 'No answer from the service; trying again.'

function keep(part) {
  const status = document.querySelector('[role=status]')
  const lines = () => [...part.querySelectorAll('li[id]')]
  // Lines that were there when the page was opened. The rest stays marked as new.
  const known = new Set(lines().map(({ id }) => id))
  let version = part.dataset.version
  let stream = null
  let timer
  let failures = 0

  function listen() {
    stream?.close()
    clearTimeout(timer)
    if (document.hidden) return
    stream = new EventSource(part.dataset.live)
    stream.addEventListener('open', answered)
    stream.addEventListener('part', ({ data, lastEventId }) => {
      answered()
      version = lastEventId
      show(data)
    })
    // What was shown is gone, or the session has ended; the page says so.
    stream.addEventListener('over', () => {
      stream.close()
      location.reload()
    })
    stream.addEventListener('error', () => {
      if (stream.readyState === EventSource.CLOSED) return ask(ASKED_MAX)
      // A stream ends now and then, and the browser opens another.
      failures += 1
      if (failures > 1) unanswered()
    })
  }

  async function ask(left) {
    const answer = await fetch(part.dataset.live, { headers: { 'if-none-match': version }, cache: 'no-store' }).catch(() => null)
    if (answer?.redirected || answer?.status === 404) return location.reload()
    if (answer?.status === 304) answered()
    else if (answer?.ok) {
      answered()
      version = answer.headers.get('etag') ?? ''
      show(await answer.text())
    } else unanswered()
    if (!document.hidden) timer = setTimeout(() => (left > 1 ? ask(left - 1) : listen()), ASK_EVERY_MS)
  }

  function answered() {
    if (status?.textContent === UNANSWERED) status.textContent = ''
    failures = 0
  }

  function unanswered() {
    if (status) status.textContent = UNANSWERED
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

  document.addEventListener('visibilitychange', listen)
  addEventListener('pagehide', () => stream?.close())
  // The reader has come back to the page.
  addEventListener('pageshow', ({ persisted }) => persisted && listen())
  listen()
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
  const label = active?.getAttribute('aria-label')
  const selector = href
    ? `[href="${CSS.escape(href)}"]`
    : label
      ? `[aria-label="${CSS.escape(label)}"]`
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
