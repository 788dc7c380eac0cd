// The examples of the documents send what they say, with curl and with the official SDK for Node.js.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Resend } from 'resend'
import { describe, expect, it } from 'vitest'

const FOLDER = new URL('../../docs/', import.meta.url)
const BLOCK = /```(\w+)\n(.*?)\n *```/gs

type Request = { method: string; path: string; query: Record<string, string>; body: unknown }

/** Each block for a terminal with the next block in the document, in the order in which they stand. */
const blocks = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .flatMap((document) => {
    const found = [...readFileSync(new URL(document, FOLDER), 'utf8').matchAll(BLOCK)]
    return found.map(([, language = '', code = ''], index) => ({ document, language, code, next: found[index + 1] }))
  })
  .filter(({ language, code }) => language === 'sh' && code.includes('curl '))

/** Fields that the SDK writes in camelCase. */
const hasOtherFields = (code: string): boolean => /"[a-z]+_[a-z_]+":|[?&][a-z]+_[a-z_]+=/.test(withoutFreeValues(code))

/** Payloads of events belong to the client, who names their fields. */
const withoutFreeValues = (code: string): string => code.replaceAll(/"payload": \{[^}]*\}/g, '')

describe('the examples of the documents', () => {
  it('have one address of the service and one name for the key, so that they run on from one page to the next', () => {
    const readme = readFileSync(new URL('../README.md', FOLDER), 'utf8')
    const texts = [readme, ...blocks.map(({ code }) => code)]
    const keys = texts.flatMap((code) => code.match(/(?<=Bearer )[^"'\s]+/g) ?? [])
    const calls = texts.flatMap((code) => [...code.matchAll(/^.*curl (?:-\w+ (?:[A-Z]+ )?)?"?((?:\w+:\/\/)?[^\s"/]+)/gm)])
    // With --crlf, curl speaks SMTP.
    const addresses = calls.map(([, address]) => address).filter((address) => address !== '--crlf')
    expect(new Set(addresses)).toEqual(new Set(['http://localhost:3000']))
    expect(new Set(keys)).toEqual(new Set(['$KEY', '$OPERATOR_KEY']))
  })

  const paired = blocks.filter(({ code }) => hasOtherFields(code))

  it('are given for the SDK too wherever its fields differ', () => {
    expect(paired.filter(({ next }) => next?.[1] !== 'js').map(({ document, code }) => [document, code])).toEqual([])
    expect(paired.length).toBeGreaterThan(4)
  })

  it.each(paired)('send the same with curl and with the SDK: $document', async ({ code, next }) => {
    expect(await requestsOfSdk(String(next?.[2]))).toEqual(requestsOfCurl(code))
  })
})

function requestsOfCurl(code: string): Request[] {
  const commands = code.split(/^curl /m).slice(1)
  return commands.map((command) => {
    const [, address = ''] = /(?:^|\s|")((?:http:\/\/)?localhost:3000[^\s"]*)/.exec(command) ?? []
    const [, body] = /-d '(.*?)'/s.exec(command) ?? []
    const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\w+)/.exec(command) ?? []
    return toRequest({ method, address: address.replace(/^(http:\/\/)?/, 'http://'), body })
  })
}

async function requestsOfSdk(code: string): Promise<Request[]> {
  const requests: Request[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    requests.push(toRequest({ method: String(request.method), address: `http://localhost:3000${request.url}`, body }))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resend = new Resend('re_example', { baseUrl: `http://127.0.0.1:${port}` })
  try {
    const run = new Function('resend', 'DOMAIN', `return (async () => {${code}})()`)
    await run(resend, '$DOMAIN')
    return requests
  } finally {
    server.close()
  }
}

function toRequest({ method, address, body }: { method: string; address: string; body: string | undefined }): Request {
  const url = new URL(address)
  return {
    method,
    path: decodeURIComponent(url.pathname),
    query: Object.fromEntries(url.searchParams),
    body: body === undefined || body === '' || body === '{}' ? null : JSON.parse(body),
  }
}
