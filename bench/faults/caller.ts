// Asks the service over HTTP, as a client of the first team does.
import type { Stage } from './stage.ts'

/** @throws if the answer is not a success. */
export type Caller = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<{ id: string; status: string }>

export const callerOf =
  ({ place }: Stage, url: string): Caller =>
  async (method, path, body, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${await answer.text()}`)
    return (await answer.json()) as { id: string; status: string }
  }
