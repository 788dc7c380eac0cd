// Shows the buttons that copy a text of the page. Without this script, a click on such a text selects all of it.
const SAID_MS = 2000
const status = document.querySelector('[role=status]')

function follow(button) {
  const source = document.getElementById(button.dataset.copy)
  const label = button.textContent
  let timer
  button.hidden = false
  button.addEventListener('click', async () => {
    const isCopied = await copied(source)
    button.textContent = isCopied ? 'Copied' : 'Not copied'
    if (status) status.textContent = isCopied ? button.dataset.said : 'Not copied. The text is selected: copy it with the keyboard.'
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = label
    }, SAID_MS)
  })
}

async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    // Browsers have no clipboard for a page without TLS.
    getSelection().selectAllChildren(source)
    return document.execCommand('copy')
  }
}

for (const button of document.querySelectorAll('[data-copy]')) follow(button)
