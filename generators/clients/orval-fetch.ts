// How the clients of orval send.
import { AUTHORIZATION, SERVICE_URL } from './ten-calls.ts'

export async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers = new Headers(init.headers)
  headers.set('authorization', AUTHORIZATION)
  const response = await fetch(`${SERVICE_URL}${path}`, { ...init, headers })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return { status: response.status, headers: response.headers, data: await response.json() } as Answer
}
