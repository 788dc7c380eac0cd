// What a token is for (RFC 8707): always this service, by whichever of its addresses a program names it.

/** Stands for "none was named", so that it can be told from the address of the service. */
export const DEFAULT_RESOURCE = 'urn:posthaste:api'

/** Whether a resource is this service: its address, or any below it. */
export function isOwnResource(resource: string, publicUrl: string): boolean {
  if (resource === DEFAULT_RESOURCE) return true
  const parsed = URL.parse(resource)
  return (
    parsed !== null && parsed.origin === new URL(publicUrl).origin && parsed.username === '' && parsed.password === '' && parsed.hash === ''
  )
}
