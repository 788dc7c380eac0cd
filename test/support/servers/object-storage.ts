// Checks requests to an object store as its server does: AWS Signature Version 4 in the header, and the digest of the content that it covers.
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export const ACCESS_KEY_ID = 'AKIATESTTESTTESTTEST'
export const SECRET_ACCESS_KEY = 'a-secret-that-only-the-client-and-the-server-know'

/** A server refuses a request that is dated further from its own time. */
const SKEW_MS_MAX = 15 * 60_000

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[\w-]+\/s3\/aws4_request), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/

/** The code of the refusal, or null. */
export function signatureProblem(request: IncomingMessage, url: URL, content: Buffer, now: Date): string | null {
  const [, id, scope = '', signedHeaders = '', signature] = AUTHORIZATION.exec(request.headers.authorization ?? '') ?? []
  if (id === undefined) return 'AccessDenied'
  if (id !== ACCESS_KEY_ID) return 'InvalidAccessKeyId'
  const headerOf = (name: string): string =>
    String(request.headers[name] ?? '')
      .trim()
      .replace(/ +/g, ' ')
  const date = headerOf('x-amz-date')
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(at - now.getTime()) <= SKEW_MS_MAX)) return 'RequestTimeTooSkewed'
  const names = signedHeaders.split(';')
  const contentHash = headerOf('x-amz-content-sha256')
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headerOf(name)}`),
    '',
    signedHeaders,
    contentHash,
  ].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET_ACCESS_KEY}`)
  const wanted = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex')
  if (signature !== wanted || !names.includes('host') || !names.includes('x-amz-content-sha256')) return 'SignatureDoesNotMatch'
  return contentHash === sha256(content) ? null : 'XAmzContentSHA256Mismatch'
}

export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

// The least of an object store that speaks the protocol of S3 as its servers do: signatures and digests are checked, errors are XML, lists have pages.
// No server on npm does all of it: s3rver checks no digests and lists no unfinished uploads.

type StoredObject = { content: Buffer; modified: Date; metadata: Record<string, string> }
type Upload = { id: string; key: string; begun: Date; metadata: Record<string, string>; parts: Map<number, Buffer> }
export type ObjectRequest = { method: string; key: string; query: URLSearchParams; headers: IncomingHttpHeaders }

/**
 * `wordless`: without a message, as radosgw refuses. `cut`: after half of the content. `silent`: likewise, and the connection stays open. `unanswered`:
 * nothing comes, as from a Ceph cluster that is full. `corrupt`: the content arrives changed.
 */
export type Fault = { code: string; status: number; wordless?: boolean } | 'cut' | 'silent' | 'unanswered' | 'corrupt'

export type ObjectStorage = {
  endpoint: string
  objects: Map<string, StoredObject>
  uploads: Map<string, Upload>
  /** Method and key of each request, in order. */
  requests: string[]
  /** What happens to a request instead of its answer. */
  fault: (request: ObjectRequest) => Fault | null
  now: () => Date
  close(): Promise<void>
}

export const BUCKET = 'attachments'
const KEYS_PER_PAGE = 2

export async function startObjectStorage(): Promise<ObjectStorage> {
  const [objects, uploads] = [new Map<string, StoredObject>(), new Map<string, Upload>()]

  const server = createServer(async (incoming, response) => {
    // Clients that give up are part of the tests.
    response.on('error', () => {})
    response.setHeader('date', storage.now().toUTCString())
    const url = new URL(incoming.url ?? '/', storage.endpoint)
    const content = await buffer(incoming).catch(() => Buffer.alloc(0))
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    const request = { method: incoming.method ?? '', key: rest.join('/'), query: url.searchParams, headers: incoming.headers }
    storage.requests.push(`${request.method} ${request.key}`)
    const fault = storage.fault(request)
    if (fault === 'unanswered') return
    if (fault !== null && typeof fault === 'object') return refuse(response, fault.code, fault.status, fault.wordless ? '' : undefined)
    const received = fault === 'corrupt' && request.method === 'PUT' ? corrupted(content) : content
    const problem = signatureProblem(incoming, url, received, storage.now())
    if (problem !== null) return refuse(response, problem, problem === 'XAmzContentSHA256Mismatch' ? 400 : 403)
    if (bucket !== BUCKET) return refuse(response, 'NoSuchBucket', 404)
    if (request.key === '') return answerBucket(response, request)
    if (request.query.has('uploadId') || request.query.has('uploads')) return answerUpload(response, request, received)
    return answerObject(response, request, received, fault)
  })

  function answerObject(response: ServerResponse, { method, key, headers }: ObjectRequest, content: Buffer, fault: Fault | null): unknown {
    const found = objects.get(key)
    const source = headers['x-amz-copy-source']
    if (method === 'PUT' && source !== undefined) {
      const copied = objects.get(decodeURIComponent(String(source)).replace(`${BUCKET}/`, ''))
      if (copied === undefined) return refuse(response, 'NoSuchKey', 404)
      objects.set(key, { ...copied, modified: storage.now() })
      return xml(response, `<CopyObjectResult><ETag>${etagOf(copied.content)}</ETag></CopyObjectResult>`)
    }
    if (method === 'PUT') {
      objects.set(key, { content, modified: storage.now(), metadata: metadataOf(headers) })
      return response.writeHead(200, { etag: etagOf(content) }).end()
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return response.writeHead(204).end()
    }
    if (found === undefined) return method === 'HEAD' ? void response.writeHead(404).end() : refuse(response, 'NoSuchKey', 404)
    const etag = etagOf(found.content)
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag) return refuse(response, 'PreconditionFailed', 412)
    const [start, end] = rangeOf(headers.range, found.content.length)
    const part = fault === 'corrupt' ? corrupted(found.content).subarray(start, end) : found.content.subarray(start, end)
    response.writeHead(headers.range === undefined ? 200 : 206, {
      ...{ etag, 'content-length': part.length, 'last-modified': found.modified.toUTCString() },
      ...Object.fromEntries(Object.entries(found.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value])),
    })
    if (method === 'HEAD') return response.end()
    if (fault !== 'cut' && fault !== 'silent') return response.end(part)
    response.write(part.subarray(0, part.length / 2), () => fault === 'cut' && response.destroy())
  }

  function answerUpload(response: ServerResponse, { method, key, query, headers }: ObjectRequest, content: Buffer): unknown {
    if (method === 'POST' && query.has('uploads')) {
      const id = randomUUID()
      uploads.set(id, { id, key, begun: storage.now(), metadata: metadataOf(headers), parts: new Map() })
      return xml(response, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    const upload = uploads.get(query.get('uploadId') ?? '')
    if (upload === undefined) return refuse(response, 'NoSuchUpload', 404)
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), content)
      return response.writeHead(200, { etag: etagOf(content) }).end()
    }
    uploads.delete(upload.id)
    if (method === 'DELETE') return response.writeHead(204).end()
    const parts = [...content.toString().matchAll(/<ETag>(.*?)<\/ETag>.*?<PartNumber>(\d+)<|<PartNumber>(\d+)<.*?<ETag>(.*?)<\/ETag>/gs)]
    const chosen = parts.map((found) => upload.parts.get(Number(found[2] ?? found[3])) ?? Buffer.alloc(0))
    objects.set(key, { content: Buffer.concat(chosen), modified: storage.now(), metadata: upload.metadata })
    xml(response, `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`)
  }

  function answerBucket(response: ServerResponse, { method, query }: ObjectRequest): unknown {
    if (method === 'HEAD') return response.writeHead(200).end()
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? query.get('key-marker') ?? ''
    const pageOf = <Item extends { key: string }>(items: Item[]): { page: Item[]; last: string; more: boolean } => {
      const left = items.filter(({ key }) => key.startsWith(prefix) && key > after).sort((one, other) => (one.key < other.key ? -1 : 1))
      const page = left.slice(0, KEYS_PER_PAGE)
      return { page, last: page.at(-1)?.key ?? '', more: left.length > page.length }
    }
    if (query.has('uploads')) {
      const { page, last, more } = pageOf([...uploads.values()])
      const rows = page.map(
        ({ id, key, begun }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
      )
      const name = 'ListMultipartUploadsResult'
      return xml(response, `<${name}><IsTruncated>${more}</IsTruncated><NextKeyMarker>${last}</NextKeyMarker>${rows.join('')}</${name}>`)
    }
    const { page, last, more } = pageOf([...objects].map(([key, { modified }]) => ({ key, modified })))
    const rows = page.map(
      ({ key, modified }) => `<Contents><Key>${key}</Key><LastModified>${modified.toISOString()}</LastModified></Contents>`,
    )
    const token = more ? `<NextContinuationToken>${last}</NextContinuationToken>` : ''
    const head = `<KeyCount>${page.length}</KeyCount><IsTruncated>${more}</IsTruncated>${token}`
    xml(response, `<ListBucketResult>${head}${rows.join('')}</ListBucketResult>`)
  }

  const storage: ObjectStorage = {
    endpoint: '',
    ...{ objects, uploads, requests: [], fault: () => null, now: () => new Date() },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  storage.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return storage
}

function refuse(response: ServerResponse, code: string, status: number, message = `${code} said at length.`): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
}

const xml = (response: ServerResponse, text: string): void =>
  void response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${text}`)

const etagOf = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`

const metadataOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
    ),
  )

function rangeOf(header: string | undefined, length: number): [start: number, end: number] {
  const [, start = '0', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  return [Number(start), end === '' ? length : Number(end) + 1]
}

function corrupted(content: Buffer): Buffer {
  const changed = Buffer.from(content)
  if (changed.length > 0) changed[0] = (changed[0] ?? 0) ^ 1
  return changed
}
