// How the clients of orval send. The addresses that they generate have the host that was given for the variable of the document.
import { AUTHORIZATION } from './ten-calls.ts'

export async function send<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const headers = new Headers(init.headers)
  headers.set('authorization', AUTHORIZATION)
  const response = await fetch(url, { ...init, headers })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return { status: response.status, headers: response.headers, data: await response.json() } as Answer
}
