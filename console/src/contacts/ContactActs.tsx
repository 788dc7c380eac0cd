import { Anchor, List, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useAllRows, useRecord } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { Copyable } from '../parts/Copyable'
import { NotLoaded } from '../parts/ErrorAlert'
import { MoreMenu } from '../parts/MoreMenu'
import { saveFile } from '../parts/save-file'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { EditContact } from './EditContact'

type Contact = RecordOf<'/contacts/{contact_id}'>

export function ContactActs({ contact }: { contact: Contact }) {
  const may = useMay()
  const go = useGo()
  const path = { contact_id: contact.id }
  const [isLinkOpen, link] = useDisclosure()
  const [isAsked, question] = useDisclosure()
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
      <MoreMenu
        acts={[
          ...(may('contacts:write') ? [{ name: TEXTS.link, onClick: link.open }] : []),
          { name: TEXTS.export, onClick: () => download.mutate() },
          ...(may('contacts:write') ? [{ name: TEXTS.erase, onClick: question.open, isDestructive: true }] : []),
        ]}
        isBusy={download.isPending || erase.isPending}
      />
      <ConfirmDialog
        title={TEXTS.erase}
        question={<EraseQuestion />}
        typed={contact.email}
        isOpen={isAsked}
        onClose={question.close}
        onConfirm={() => erase.mutate()}
      />
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
  const { data, error, isPlaceholderData } = useRecord('/contacts/{contact_id}/unsubscribe-link', {
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
      {error && <NotLoaded error={error} />}
      {data && !isPlaceholderData && (
        <>
          <Copyable text={data.url} />
          <Anchor href={data.url} target="_blank" rel="noopener noreferrer" size="sm">
            {TEXTS.linkOpen}
          </Anchor>
        </>
      )}
    </Stack>
  )
}
