// Which client a request says that it comes from, before anything proves it. For limits only.

/** An id is a UUID or a URL. What is longer is counted by its beginning. */
const LENGTH_MAX = 256

/** Null if it names none. `body`: a form or JSON. */
export function statedClient({ authorization = '', body }: { authorization?: string | undefined; body: string }): string | null {
  const stated = clientInBasic(authorization) ?? clientInJson(body) ?? new URLSearchParams(body).get('client_id')
  return stated ? stated.slice(0, LENGTH_MAX) : null
}

function clientInBasic(authorization: string): string | null {
  const [scheme = '', credentials = ''] = authorization.split(' ', 2)
  if (scheme.toLowerCase() !== 'basic') return null
  const [user = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  return user === '' ? null : user
}

function clientInJson(body: string): string | null {
  if (!body.startsWith('{')) return null
  try {
    const { client_id: id } = JSON.parse(body) as { client_id?: unknown }
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
