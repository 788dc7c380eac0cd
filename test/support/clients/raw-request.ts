// A request with exactly the given bytes, because `fetch` sends no body with GET and normalizes paths.
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestService } from '../servers/service.ts'

export type RawRequest = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer; token?: string | null }

export async function rawRequest(
  service: TestService,
  { method, path, headers = {}, body, token = service.token }: RawRequest,
): Promise<{ status: number; headers: Record<string, unknown>; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(`${service.url}/`, { method, path, headers: { ...authorization, ...length, ...headers } }, resolve)
  sent.on('error', reject).end(body)
  const response = await promise
  return { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(await text(response)) }
}
