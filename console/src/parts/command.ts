/** A command for a shell that sends a request to the API of this installation. The key is to be filled in. */
export const commandOf = (path: string, body: object): string =>
  `curl ${window.location.origin}${path} -H 'Authorization: Bearer re_...' -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", QUOTE)}'`

/** Ends the text in quotes, and begins it anew. */
const QUOTE = String.raw`'\''`
