// A request that names a host, as one by a browser does that found the service by the DNS. `fetch` does not let anyone set Host.
import { request } from 'undici'

export type HostRequest = { method?: 'GET' | 'HEAD'; headers?: Record<string, string> }

export async function requestAt(
  { url }: { url: string },
  host: string,
  path: string,
  { method = 'GET', headers = {} }: HostRequest = {},
): Promise<Response> {
  const answer = await request(url + path, { method, headers: { host, ...headers } })
  const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(await answer.body.arrayBuffer(), { status: answer.statusCode, headers: named })
}
