/**
 * The only script of the home page, the inbox and the pages of wrong addresses. It keeps the parts marked `data-live` up to date by asking for them
 * again, and writes times in the reader's own zone. Without it the pages do the same when they are reloaded.
 */
export const PAGE_SCRIPT = `'use strict'
const ASK_EVERY_MS = 1500
const ASK_AFTER_FAILURE_MS = 10000
const short = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
const inThisYear = new Intl.DateTimeFormat(undefined, short)
const inAnotherYear = new Intl.DateTimeFormat(undefined, { ...short, year: 'numeric' })
const toTheSecond = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

function localise(root) {
  const year = new Date().getFullYear()
  for (const element of root.querySelectorAll('time')) {
    const time = new Date(element.dateTime)
    element.title = toTheSecond.format(time)
    element.textContent = (time.getFullYear() === year ? inThisYear : inAnotherYear).format(time)
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

  // The answer holds each piece under the id that it has on the page.
  function show(text) {
    const answer = document.createElement('template')
    answer.innerHTML = text
    for (const fresh of answer.content.children) {
      const piece = document.getElementById(fresh.id)
      if (piece) replace(piece, fresh)
    }
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

// What has the focus keeps it, and what the reader has opened stays open.
function replace(piece, fresh) {
  const active = piece.contains(document.activeElement) ? document.activeElement : null
  const href = active?.getAttribute('href')
  const selector = href ? '[href="' + CSS.escape(href) + '"]' : active?.tagName === 'SUMMARY' ? '#' + CSS.escape(active.parentElement.id) + ' > summary' : null
  const opened = new Map([...piece.querySelectorAll('details[id]')].map(({ id, open }) => [id, open]))
  piece.innerHTML = fresh.innerHTML
  for (const details of piece.querySelectorAll('details[id]')) if (opened.has(details.id)) details.open = opened.get(details.id)
  localise(piece)
  if (selector) piece.querySelector(selector)?.focus({ preventScroll: true })
}

// As high as the content of a frame is, for as long as the reader looks at it in one width.
const LOW_PX = 150
const HIGHEST_PX = 20000
const WAIT_FOR_REPORT_MS = 3000

function fit(frame) {
  let width = 0
  let timer
  addEventListener('message', ({ source, data }) => {
    const height = Number(data?.contentHeight)
    if (source !== frame.contentWindow || !(height >= 0)) return
    clearTimeout(timer)
    frame.style.height = Math.min(Math.max(height, LOW_PX), HIGHEST_PX) + frame.offsetHeight - frame.clientHeight + 'px'
  })
  // A low frame measures what is in it; a high one would measure itself.
  new ResizeObserver(() => {
    if (frame.offsetWidth === width) return
    width = frame.offsetWidth
    frame.style.height = LOW_PX + 'px'
    clearTimeout(timer)
    timer = setTimeout(() => (frame.style.height = ''), WAIT_FOR_REPORT_MS)
  }).observe(frame)
}

localise(document)
for (const frame of document.querySelectorAll('iframe')) fit(frame)
for (const part of document.querySelectorAll('[data-live]')) keep(part)
`
