// The only script of the frame around an email: it tells the page how high the content is, by itself when that may have changed and when the page
// asks. The frame has no origin, so the page cannot measure it. If an email names something `body` or `documentElement`, `document` returns that
// under the name, so the root is read first.

// The greatest height of a browser's scrollbar; added if the content is wider than the frame.
const SCROLLBAR_PX = 17
const root = document.documentElement
let width = innerWidth
function report() {
  const { scrollHeight, scrollWidth, clientWidth } = root
  const body = root.querySelector('body')
  const scrollbar = scrollWidth > clientWidth ? SCROLLBAR_PX : 0
  parent.postMessage({ contentHeight: Math.max(scrollHeight, body ? body.scrollHeight : 0) + scrollbar, frameHeight: innerHeight }, '*')
}
// Not when only the height has changed: content as high as its frame would grow forever.
addEventListener('resize', () => {
  if (innerWidth !== width) report()
  width = innerWidth
})
addEventListener('message', ({ source }) => source === parent && report())
document.addEventListener('DOMContentLoaded', report)
addEventListener('load', report)
addEventListener('toggle', report, true)
