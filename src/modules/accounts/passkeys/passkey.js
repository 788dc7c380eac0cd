// Asks the device for a passkey, and sends what it answers. Forms that need one are hidden until it is known that they work.

const knowsPasskeys = 'parseRequestOptionsFromJSON' in (window.PublicKeyCredential ?? {})

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const isHere = location.origin === form.dataset.origin
  const note = document.getElementById(form.dataset.note ?? '')
  form.hidden = !knowsPasskeys || !isHere
  if (note) note.hidden = !form.hidden
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(form, () => use(form))
  })
}

async function use(form) {
  const asked = await call('POST', form.dataset.passkey)
  const credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked.options) })
  const { id, response } = credential.toJSON()
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  form.elements.namedItem('credential').value = JSON.stringify({
    id,
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) },
  })
  form.submit()
}

async function call(method, address, body) {
  const answer = await fetch(address, {
    method,
    headers: { 'posthaste-console': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (answer.ok) return answer.json()
  const { message } = await answer.json().catch(() => ({}))
  throw new Error(message ?? 'This does not work at the moment. Try again in a minute.')
}

/** Shows what went wrong, and lets the person try again. */
async function attempt(form, work) {
  const problem = form.querySelector('[role=alert]')
  const button = form.querySelector('button')
  problem.hidden = true
  button.disabled = true
  try {
    await work()
  } catch (error) {
    problem.textContent = SENTENCES[error.name] ?? error.message
    problem.hidden = false
  }
  button.disabled = false
}

const SENTENCES = {
  AbortError: 'No passkey was used. Try again.',
  NotAllowedError: 'No passkey was used. Try again.',
  SecurityError: 'Passkeys do not work at this address.',
  NotSupportedError: 'This device has no kind of passkey that works here.',
}
