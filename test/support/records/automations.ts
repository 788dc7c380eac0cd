import { create, type RecordBuilder } from './record-builder.ts'

export const automationRecord: RecordBuilder = {
  make: (service) =>
    create(service, '/automations', {
      name: 'Record',
      steps: [
        { key: 'start', type: 'trigger', config: { event_name: 'record.made' } },
        { key: 'wait', type: 'delay', config: { duration: '1 day' } },
      ],
      connections: [{ from: 'start', to: 'wait' }],
    }),
  paths: (id) => [`/automations/${id}`],
}
