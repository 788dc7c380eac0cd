// The search field of all pages: Ctrl-K and / lead to it, and it shows what it finds while one types. Without this script it is a form.
const ASK_AFTER_MS = 200
// While searches are busy, it asks again after the time that the answer names.
const TRIES_MAX = 5
const AGAIN_AFTER_SECONDS = 2
const form = document.querySelector('form.find')
const field = form?.querySelector('input')
const panel = form?.querySelector('.findings')
let timer
let asked = 0

const isTyping = ({ target }) => target.closest?.('input, textarea, select, [contenteditable]') !== null

const close = () => {
  asked += 1
  clearTimeout(timer)
  panel.hidden = true
}

async function ask(tries = 1) {
  const words = field.value.trim()
  if (words === '') return close()
  asked += 1
  const question = asked
  const answer = await fetch(`/console/search/found?${new URLSearchParams({ q: words })}`, { redirect: 'error' }).catch(() => null)
  const text = answer?.ok ? await answer.text() : null
  // Another question was asked meanwhile, or the field was left.
  if (question !== asked) return
  if (text !== null) panel.innerHTML = text
  else if (tries < TRIES_MAX) {
    say('The search is busy. It is tried again in a moment.')
    timer = setTimeout(() => ask(tries + 1), 1_000 * (Number(answer?.headers.get('retry-after')) || AGAIN_AFTER_SECONDS))
  } else say('The search does not answer. Press Enter to try again.')
  panel.hidden = false
}

function say(sentence) {
  const note = Object.assign(document.createElement('p'), { className: 'note', textContent: sentence })
  note.setAttribute('role', 'status')
  panel.replaceChildren(note)
}

function move(event) {
  const places = [field, ...panel.querySelectorAll('a')]
  const next = places.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  event.preventDefault()
  places[Math.max(0, Math.min(next, places.length - 1))].focus()
}

if (field && panel) {
  document.addEventListener('keydown', (event) => {
    const isShortcut = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping(event))
    // A narrow screen has the search in its menu.
    if (!isShortcut || event.isComposing || !field.checkVisibility()) return
    event.preventDefault()
    field.select()
    field.focus()
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) {
      event.preventDefault()
      field.focus()
      close()
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !panel.hidden) move(event)
  })
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => ask(), ASK_AFTER_MS)
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close()
  })
}
