import { stringify } from 'yaml'
import { describeApi } from './describe-api.ts'
import type { GeneratedFiles } from './generated-files.ts'

export async function openapiFiles(): Promise<GeneratedFiles> {
  const document = await describeApi()
  return {
    source: 'the schemas',
    command: 'npm run openapi',
    texts: new Map([
      ['openapi/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
      ['openapi/openapi.yaml', stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })],
    ]),
  }
}
