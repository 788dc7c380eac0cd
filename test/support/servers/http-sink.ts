import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type HttpSink = {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string
  port: number
  /** Method and path of each request, in order. */
  requests: string[]
  openConnectionCount(): Promise<number>
  close(): Promise<void>
}

export type HttpSinkRoutes = Record<string, RequestListener>

/** A web server on loopback: a listener per path, 404 for the rest. */
export async function startHttpSink(routes: HttpSinkRoutes): Promise<HttpSink> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    requests.push(`${request.method} ${request.url}`)
    // Clients that disconnect are part of the tests.
    response.on('error', () => {})
    const route = routes[path]
    if (route !== undefined) route(request, response)
    else response.writeHead(404).end('nothing here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    openConnectionCount: () =>
      new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void

export const file =
  (content: Buffer | string, headers: Record<string, string> = {}): Respond =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', ...headers }).end(content)
  }

export const status =
  (code: number): Respond =>
  (_request, response) => {
    response.writeHead(code).end('refused')
  }

export const redirect =
  (location: string, code = 302): Respond =>
  (_request, response) => {
    response.writeHead(code, { location }).end('over there')
  }

/** Reads the request and never answers. */
export const silence: Respond = () => {}

/** Never stops sending, as fast as the client reads. */
export const endless: Respond = (_request, response) => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.writeHead(200).on('drain', send)
  send()
}

/** Begins an answer, then sends nothing more. */
export const stalled: Respond = (_request, response) => {
  response.writeHead(200).write('begun')
}

/** Announces more bytes than it sends. */
export const cutShort =
  (announcedBytes: number): Respond =>
  (_request, response) => {
    response.writeHead(200, { 'content-length': announcedBytes }).write('short', () => response.destroy())
  }
