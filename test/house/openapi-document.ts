// The parts of an OpenAPI document that the tests look at.

export type Media = { schema?: Schema; example?: unknown; encoding?: Record<string, { contentType: string }> }
export type Schema = { $ref?: string } & Record<string, unknown>
export type DocumentedResponse = { description?: string; headers?: Record<string, { $ref: string }>; content?: Record<string, Media> }
export type DocumentedOperation = {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; description?: string; example?: string }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, DocumentedResponse>
}
export type Document = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, { post: DocumentedOperation }>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, DocumentedResponse>
    headers: Record<string, object>
    securitySchemes: Record<string, object>
  }
}

/** Every operation, with its references replaced by the responses. */
export const documentedOperations = (document: object): { method: string; path: string; operation: DocumentedOperation }[] => {
  const { paths, components } = document as Document
  const resolved = (response: DocumentedResponse & { $ref?: string }): DocumentedResponse =>
    response.$ref ? (components.responses[response.$ref.replace('#/components/responses/', '')] ?? {}) : response
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      path,
      operation: {
        ...operation,
        responses: Object.fromEntries(Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)])),
      },
    })),
  )
}

/** The operations of teams, without those of people and of the operator. */
export const teamOperations = (document: object): ReturnType<typeof documentedOperations> =>
  documentedOperations(document).filter(({ operation }) => !isOfOperator(operation) && !isOfPerson(operation))

export const isOfOperator = ({ security = [] }: Pick<DocumentedOperation, 'security'>): boolean =>
  security.some((one) => 'operatorKey' in one)

export const isOfPerson = ({ security = [] }: Pick<DocumentedOperation, 'security'>): boolean => security.some((one) => 'session' in one)

export type DocumentedSchema = { pointer: string; schema: Schema; isProperty: boolean }

/** Every schema of a document, with the JSON pointer to it. Names of properties do not count as words of a schema. */
export function* documentedSchemas(document: Document): Generator<DocumentedSchema> {
  for (const [name, schema] of Object.entries(document.components.schemas)) yield* within(schema, `/components/schemas/${name}`)
  for (const { method, path, operation } of documentedOperations(document)) {
    const pointer = `/paths/${path}/${method}`
    for (const { name, schema } of operation.parameters ?? []) yield* within(schema, `${pointer}/parameters/${name}`)
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) yield* within(schema, `${pointer}/requestBody`)
  }
}

function* within(part: unknown, pointer: string, isProperty = false): Generator<DocumentedSchema> {
  if (part === null || typeof part !== 'object') return
  const schema = part as Schema
  yield { pointer, schema, isProperty }
  for (const word of ['items', 'additionalProperties', 'not']) yield* within(schema[word], `${pointer}/${word}`)
  for (const word of ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'])
    for (const [key, inner] of Object.entries(schema[word] ?? {})) yield* within(inner, `${pointer}/${word}/${key}`, word === 'properties')
}
