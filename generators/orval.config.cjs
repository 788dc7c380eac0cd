// Both versions read it.
module.exports = {
  posthaste: {
    input: '../openapi/openapi.json',
    output: {
      target: process.env.ORVAL_TARGET,
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true, variables: { host: process.env.SERVICE_HOST } },
      override: { mutator: { path: './clients/orval-fetch.ts', name: 'send' } },
    },
  },
}
