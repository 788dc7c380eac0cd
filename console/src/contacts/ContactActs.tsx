import { Button, List, Menu, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { EllipsisVertical } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useAllRows, useRecord } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Copyable } from '../parts/Copyable'
import { saveFile } from '../parts/save-file'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { EditContact } from './EditContact'

type Contact = RecordOf<'/contacts/{contact_id}'>

export function ContactActs({ contact }: { contact: Contact }) {
  const may = useMay()
  const go = useGo()
  const path = { contact_id: contact.id }
  const [isLinkOpen, link] = useDisclosure()
  const unsubscribe = useAct({
    run: () => answer(api.PATCH('/contacts/{contact_id}', { params: { path }, body: { unsubscribed: true } })),
    done: TEXTS.wasUnsubscribed,
    changes: ['contacts', 'segments'],
  })
  const download = useAct({
    run: () => answer(api.GET('/contacts/{contact_id}/export', { params: { path } })),
    done: TEXTS.exported,
    changes: [],
    onDone: (document) =>
      saveFile({ name: `contact-${contact.id}.json`, text: JSON.stringify(document, null, 2), type: 'application/json' }),
  })
  const erase = useAct({
    run: () => answer(api.DELETE('/contacts/{contact_id}', { params: { path } })),
    done: TEXTS.erased,
    changes: ['contacts', 'segments'],
    onDone: () => go('/contacts'),
  })
  return (
    <>
      {may('contacts:write') && <EditContact contact={contact} />}
      {may('contacts:subscriptions') && !contact.unsubscribed && (
        <ConfirmButton
          name={TEXTS.unsubscribe}
          variant="default"
          question={TEXTS.unsubscribeQuestion}
          onConfirm={() => unsubscribe.mutate()}
          isBusy={unsubscribe.isPending}
        />
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={TEXTS.more} loading={download.isPending}>
            <EllipsisVertical size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {may('contacts:write') && <Menu.Item onClick={link.open}>{TEXTS.link}</Menu.Item>}
          <Menu.Item onClick={() => download.mutate()}>{TEXTS.export}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {may('contacts:write') && (
        <ConfirmButton
          name={TEXTS.erase}
          question={<EraseQuestion />}
          typed={contact.email}
          onConfirm={() => erase.mutate()}
          isBusy={erase.isPending}
        />
      )}
      <Modal opened={isLinkOpen} onClose={link.close} title={TEXTS.link}>
        <UnsubscribeLink contactId={contact.id} />
      </Modal>
    </>
  )
}

const EraseQuestion = () => (
  <Stack gap="xs">
    <List size="sm">
      {TEXTS.eraseWhat.map((sentence) => (
        <List.Item key={sentence}>{sentence}</List.Item>
      ))}
    </List>
    <Text size="sm">{TEXTS.eraseFinal}</Text>
  </Stack>
)

function UnsubscribeLink({ contactId }: { contactId: string }) {
  const may = useMay()
  const [topicId, setTopicId] = useState<string | null>(null)
  const topics = useAllRows('/topics', { isEnabled: may('topics:read') }).rows
  const { data, error } = useRecord('/contacts/{contact_id}/unsubscribe-link', {
    path: { contact_id: contactId },
    query: topicId === null ? {} : { topic_id: topicId },
  })
  return (
    <Stack>
      <Text size="sm">{TEXTS.linkHint}</Text>
      {topics.length > 0 && (
        <Select
          label={TEXTS.linkTopic}
          placeholder={TEXTS.linkAll}
          clearable
          value={topicId}
          onChange={setTopicId}
          data={topics.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      {error && <Problem error={error} />}
      {data && <Copyable text={data.url} />}
    </Stack>
  )
}
