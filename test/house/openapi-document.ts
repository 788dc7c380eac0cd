// The parts of an OpenAPI document that the tests look at.

export type Media = { schema?: Schema; example?: unknown; encoding?: Record<string, { contentType: string }> }
export type Schema = { $ref?: string } & Record<string, unknown>
export type DocumentedOperation = {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; description?: string; example?: string }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { description?: string; headers?: Record<string, { $ref: string }>; content?: Record<string, Media> }>
}
export type Document = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, Schema>; headers: Record<string, object>; securitySchemes: Record<string, unknown> }
}

export const documentedOperations = (document: object): { method: string; path: string; operation: DocumentedOperation }[] =>
  Object.entries((document as Document).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
