// Writes times in the reader's own zone. Without this script they are in UTC, and say so.
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

localise(document)
// live.js sends this event for a part of the page that was replaced.
document.addEventListener('replaced', ({ target }) => localise(target))
