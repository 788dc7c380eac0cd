// Makes a frame as high as its content, which measure.js reports from inside.
const LOW_PX = 150
const HIGHEST_PX = 20000
const ASK_EVERY_MS = 100
const ASKS_MAX = 30

function fitToContent(frame) {
  let width = 0
  let asking

  // A low frame measures its content; a high one would measure itself.
  function measure() {
    let asks = 0
    frame.style.height = `${LOW_PX}px`
    clearInterval(asking)
    asking = setInterval(() => {
      asks += 1
      if (asks <= ASKS_MAX) return frame.contentWindow.postMessage('measure', '*')
      stopAsking()
      frame.style.height = ''
    }, ASK_EVERY_MS)
  }

  function stopAsking() {
    clearInterval(asking)
    asking = undefined
  }

  addEventListener('message', ({ source, data }) => {
    const height = Number(data?.contentHeight)
    if (source !== frame.contentWindow || !(height >= 0)) return
    const isOfFrame = data.frameHeight > LOW_PX && height <= data.frameHeight
    if (!isOfFrame) {
      stopAsking()
      frame.style.height = `${Math.min(Math.max(height, LOW_PX), HIGHEST_PX) + frame.offsetHeight - frame.clientHeight}px`
    } else if (asking === undefined) measure()
  })
  new ResizeObserver(() => {
    if (frame.offsetWidth === width) return
    width = frame.offsetWidth
    measure()
  }).observe(frame)
}

for (const frame of document.querySelectorAll('iframe')) fitToContent(frame)
