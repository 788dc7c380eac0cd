// Makes a frame as high as its content, which measure.js reports from inside, as long as the width stays the same.
const LOW_PX = 150
const HIGHEST_PX = 20000
const WAIT_FOR_REPORT_MS = 3000

function fitToContent(frame) {
  let width = 0
  let timer
  // A low frame measures its content; a high one would measure itself.
  function lower() {
    frame.style.height = `${LOW_PX}px`
    clearTimeout(timer)
    timer = setTimeout(() => (frame.style.height = ''), WAIT_FOR_REPORT_MS)
  }
  addEventListener('message', ({ source, data }) => {
    const height = Number(data?.contentHeight)
    if (source !== frame.contentWindow || !(height >= 0)) return
    // The report of an email that loaded late: the frame is high by now, and is measured again.
    if (frame.style.height === '') return lower()
    clearTimeout(timer)
    frame.style.height = `${Math.min(Math.max(height, LOW_PX), HIGHEST_PX) + frame.offsetHeight - frame.clientHeight}px`
  })
  new ResizeObserver(() => {
    if (frame.offsetWidth === width) return
    width = frame.offsetWidth
    lower()
  }).observe(frame)
}

for (const frame of document.querySelectorAll('iframe')) fitToContent(frame)
