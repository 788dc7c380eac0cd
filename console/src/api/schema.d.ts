// Written by `npm run openapi`.
export interface paths {
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["api-keys.list"];
        put?: never;
        post: operations["api-keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["api-keys.delete"];
        options?: never;
        head?: never;
        patch: operations["api-keys.update"];
        trace?: never;
    };
    "/audiences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audiences.list"];
        put?: never;
        post: operations["audiences.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audiences/{audience_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audiences.retrieve"];
        put?: never;
        post?: never;
        delete: operations["audiences.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audiences/{audience_id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audiences.contacts.list"];
        put?: never;
        post: operations["audiences.contacts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audiences/{audience_id}/contacts/{contact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audiences.contacts.retrieve"];
        put?: never;
        post?: never;
        delete: operations["audiences.contacts.delete"];
        options?: never;
        head?: never;
        patch: operations["audiences.contacts.update"];
        trace?: never;
    };
    "/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audit-log.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-log/{audit_log_entry_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audit-log.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["automations.list"];
        put?: never;
        post: operations["automations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{automation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["automations.retrieve"];
        put?: never;
        post?: never;
        delete: operations["automations.delete"];
        options?: never;
        head?: never;
        patch: operations["automations.update"];
        trace?: never;
    };
    "/automations/{automation_id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["automations.duplicate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{automation_id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["automations.metrics.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{automation_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["automations.runs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{automation_id}/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["automations.runs.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{automation_id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["automations.simulate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{automation_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["automations.stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.list"];
        put?: never;
        post: operations["broadcasts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.retrieve"];
        put?: never;
        post?: never;
        delete: operations["broadcasts.delete"];
        options?: never;
        head?: never;
        patch: operations["broadcasts.update"];
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.audience.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.checks.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/clicked-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.clicked-links.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.duplicate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.previews.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.recipients.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/recipients/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.recipients.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.segments.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.versions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/versions/{broadcast_version_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["broadcasts.versions.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasts/{broadcast_id}/versions/{broadcast_version_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["broadcasts.versions.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contact-properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contact-properties.list"];
        put?: never;
        post: operations["contact-properties.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contact-properties/{contact_property_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contact-properties.retrieve"];
        put?: never;
        post?: never;
        delete: operations["contact-properties.delete"];
        options?: never;
        head?: never;
        patch: operations["contact-properties.update"];
        trace?: never;
    };
    "/contact-properties/{contact_property_id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contact-properties.uses.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contact-properties/{contact_property_id}/values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contact-properties.values.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.list"];
        put?: never;
        post: operations["contacts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.retrieve"];
        put?: never;
        post?: never;
        delete: operations["contacts.delete"];
        options?: never;
        head?: never;
        patch: operations["contacts.update"];
        trace?: never;
    };
    "/contacts/{contact_id}/deliverability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.deliverability.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.export.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.segments.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/segments/{segment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["contacts.segments.create"];
        delete: operations["contacts.segments.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.timeline.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.topics.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["contacts.topics.update"];
        trace?: never;
    };
    "/contacts/{contact_id}/unsubscribe-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.unsubscribe-link.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["contacts.counts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.imports.list"];
        put?: never;
        post: operations["contacts.imports.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/imports/{contact_import_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.imports.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/imports/{contact_import_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["contacts.imports.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.jobs.list"];
        put?: never;
        post: operations["contacts.jobs.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/jobs/{contact_job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.jobs.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/jobs/{contact_job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["contacts.jobs.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/jobs/{contact_job_id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.jobs.refusals.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["contacts.metrics.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["domains.list"];
        put?: never;
        post: operations["domains.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{domain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["domains.retrieve"];
        put?: never;
        post?: never;
        delete: operations["domains.delete"];
        options?: never;
        head?: never;
        patch: operations["domains.update"];
        trace?: never;
    };
    "/domains/{domain_id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["domains.claims.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{domain_id}/claim/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["domains.claims.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{domain_id}/dns-host": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["domains.dns-host.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{domain_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["domains.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{domain_id}/zone-file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["domains.zone-file.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["domains.claims.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["downloads.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.list"];
        put?: never;
        post: operations["emails.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["emails.update"];
        trace?: never;
    };
    "/emails/{email_id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.attachments.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/attachments/{attachment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.attachments.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.attempts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["emails.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.deliveries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/relations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.relations.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["emails.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["emails.share"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{email_id}/source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.source.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["emails.send-batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.metrics.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/metrics/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.metrics.breakdown.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/metrics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.metrics.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/receiving": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.receiving.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/receiving/{received_email_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.receiving.retrieve"];
        put?: never;
        post?: never;
        delete: operations["emails.receiving.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/receiving/{received_email_id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.receiving.attachments.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/receiving/{received_email_id}/attachments/{received_attachment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["emails.receiving.attachments.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events.list"];
        put?: never;
        post: operations["events.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events.retrieve"];
        put?: never;
        post?: never;
        delete: operations["events.delete"];
        options?: never;
        head?: never;
        patch: operations["events.update"];
        trace?: never;
    };
    "/events/{event_id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events.uses.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["events.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/send/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["events.send-batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["images.list"];
        put?: never;
        post: operations["images.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/{image_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["images.retrieve"];
        put?: never;
        post?: never;
        delete: operations["images.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["invitations.list"];
        put?: never;
        post: operations["invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["invitations.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["live.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["logs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{log_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["logs.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["logs.metrics.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["me.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["me.update"];
        trace?: never;
    };
    "/me/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["me.confirmation.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/confirmation/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["me.confirmation.passkey.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/confirmation/passkey/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["me.confirmation.passkey.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/confirmation/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["me.confirmation.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["me.passkeys.list"];
        put?: never;
        post: operations["me.passkeys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["me.passkeys.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["me.passkeys.options.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["me.sessions.list"];
        put?: never;
        post?: never;
        delete: operations["me.sessions.delete-batch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["me.sessions.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["me.team.update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/teams/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["me.teams.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["members.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/members/{member_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["members.delete"];
        options?: never;
        head?: never;
        patch: operations["members.update"];
        trace?: never;
    };
    "/oauth/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["oauth-grants.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/grants/{oauth_grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["oauth-grants.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/deliverability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operation.deliverability.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operation.health.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/images/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["operation.images.stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/paces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operation.paces.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operation.queue.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/queue/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["operation.queue.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/queue/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["operation.queue.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/throughput": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operation.throughput.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["overview.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["previews.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/saved-views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["saved-views.list"];
        put?: never;
        post: operations["saved-views.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/saved-views/{saved_view_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["saved-views.delete"];
        options?: never;
        head?: never;
        patch: operations["saved-views.update"];
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["search.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["segments.list"];
        put?: never;
        post: operations["segments.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{segment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["segments.retrieve"];
        put?: never;
        post?: never;
        delete: operations["segments.delete"];
        options?: never;
        head?: never;
        patch: operations["segments.update"];
        trace?: never;
    };
    "/segments/{segment_id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["segments.contacts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{segment_id}/growth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["segments.growth.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{segment_id}/removal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["segments.removal.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["segments.counts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["segments.metrics.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["suppressions.list"];
        put?: never;
        post: operations["suppressions.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/{suppression_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["suppressions.retrieve"];
        put?: never;
        post?: never;
        delete: operations["suppressions.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/batch/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["suppressions.create-batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/batch/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["suppressions.delete-batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["team.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["team.update"];
        trace?: never;
    };
    "/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["teams.list"];
        put?: never;
        post: operations["teams.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["teams.retrieve"];
        put?: never;
        post?: never;
        delete: operations["teams.delete"];
        options?: never;
        head?: never;
        patch: operations["teams.update"];
        trace?: never;
    };
    "/teams/{team_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["teams.invitations.list"];
        put?: never;
        post: operations["teams.invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["teams.invitations.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["teams.limits.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["teams.limits.update"];
        trace?: never;
    };
    "/teams/{team_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["teams.members.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/members/{member_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["teams.members.delete"];
        options?: never;
        head?: never;
        patch: operations["teams.members.update"];
        trace?: never;
    };
    "/teams/{team_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["teams.release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["teams.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["teams.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["teams.suspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{team_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["teams.usage.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["templates.list"];
        put?: never;
        post: operations["templates.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["templates.retrieve"];
        put?: never;
        post?: never;
        delete: operations["templates.delete"];
        options?: never;
        head?: never;
        patch: operations["templates.update"];
        trace?: never;
    };
    "/templates/{template_id}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["templates.checks.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["templates.duplicate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["templates.publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["templates.render"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["templates.versions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}/versions/{version_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["templates.versions.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{template_id}/versions/{version_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["templates.versions.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["topics.list"];
        put?: never;
        post: operations["topics.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topics/{topic_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["topics.retrieve"];
        put?: never;
        post?: never;
        delete: operations["topics.delete"];
        options?: never;
        head?: never;
        patch: operations["topics.update"];
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["usage.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.list"];
        put?: never;
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.retrieve"];
        put?: never;
        post?: never;
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        patch: operations["webhooks.update"];
        trace?: never;
    };
    "/webhooks/{webhook_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/events/{webhook_event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.events.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/events/{webhook_event_id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.events.attempts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/events/{webhook_event_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.events.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.feed.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.metrics.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/signing-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.signing-secret.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "audit.recorded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.audit.recorded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "automation.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.automation.disabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "broadcast.unscheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.broadcast.unscheduled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.contact.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.contact.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.topics.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.contact.topics.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.contact.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "domain.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.domain.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "domain.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.domain.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "domain.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.domain.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.bounced"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.clicked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.clicked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.complained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.complained"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.delivery_delayed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.delivery-delayed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.opened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.received"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.scheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.scheduled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "email.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.email.suppressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quota.reached": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.quota.reached"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quota.warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.quota.warning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "reputation.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.reputation.paused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "reputation.released": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.reputation.released"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "reputation.warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.reputation.warning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "suppression.added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.suppression.added"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "suppression.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.suppression.removed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "topic.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.topic.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "topic.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.topic.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "topic.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.receive.topic.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ActOnContacts: {
            property?: string | null;
            segment_id?: string | null;
            topic_id?: string | null;
            type: "add_to_segment" | "remove_from_segment" | "opt_in" | "opt_out" | "unsubscribe" | "subscribe" | "set_property" | "unsuppress" | "delete";
            value?: string | number | null;
        };
        ApiKey: {
            created_at: string;
            domain_id: string | null;
            id: string;
            last_used_at: string | null;
            name: string;
            oauth_grant_id: string | null;
            permission: "full_access" | "sending_access";
            person: {
                email: string | null;
                id: string;
            } | null;
        };
        ApiKeyCreate: {
            domain_id?: string | null;
            name: string;
            permission?: ("full_access" | "sending_access") | null;
        };
        ApiKeyCreated: {
            id: string;
            object: "api_key";
            token: string;
        };
        ApiKeyDeletion: {
            deleted: boolean;
            id: string;
            object: "api_key";
        };
        ApiKeyList: {
            data: components["schemas"]["ApiKey"][];
            has_more: boolean;
            object: "list";
        };
        ApiKeyReference: {
            id: string;
            object: "api_key";
        };
        ApiKeyUpdate: {
            name: string;
        };
        Attachment: {
            content_disposition: "inline" | "attachment";
            content_id?: string;
            content_type: string;
            download_url: string | null;
            expires_at: string;
            filename: string | null;
            id: string;
            object: "attachment";
            size: number;
        };
        AttachmentInput: {
            content?: string | number[] | {
                data: number[];
                type: "Buffer";
            } | null;
            content_id?: string | null;
            content_type?: string | null;
            filename?: string | null;
            inline_content_id?: string | null;
            path?: string | null;
        };
        AttachmentItem: {
            content_disposition: "inline" | "attachment";
            content_id?: string;
            content_type: string;
            download_url: string | null;
            expires_at: string;
            filename: string | null;
            id: string;
            size: number;
        };
        AttachmentList: {
            data: components["schemas"]["AttachmentItem"][];
            has_more: boolean;
            object: "list";
        };
        Audience: {
            created_at: string;
            id: string;
            name: string;
            object: "audience";
        };
        AudienceContactCreate: {
            email: string;
            first_name?: string | null;
            last_name?: string | null;
            properties?: {
                [key: string]: string | number | null;
            } | null;
            unsubscribed?: boolean | null;
        };
        AudienceContactDeletion: {
            contact: string;
            deleted: boolean;
            id: string;
            object: "contact";
        };
        AudienceCreate: {
            name: string;
        };
        AudienceCreated: {
            id: string;
            name: string;
            object: "audience";
        };
        AudienceDeletion: {
            deleted: boolean;
            id: string;
            object: "audience";
        };
        AudienceList: {
            data: components["schemas"]["AudienceSummary"][];
            has_more: boolean;
            object: "list";
        };
        AudienceSummary: {
            created_at: string;
            id: string;
            name: string;
        };
        AuditLogEntry: {
            action: string;
            actor: {
                id: string | null;
                ip_address: string | null;
                name: string | null;
                type: "person" | "key" | "grant" | "operator" | "command_line" | "automation" | "system";
                user_agent: string | null;
            };
            after: {
                [key: string]: unknown;
            } | null;
            before: {
                [key: string]: unknown;
            } | null;
            chain_position: number | null;
            count: number | null;
            created_at: string;
            id: string;
            is_erased: boolean;
            target: {
                id: string | null;
                type: string;
            } | null;
        };
        AuditLogList: {
            data: components["schemas"]["AuditLogEntry"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        AuditRecordedEvent: {
            created_at: string;
            data: {
                action: string;
                actor: {
                    id: string | null;
                    ip_address: string | null;
                    name: string | null;
                    type: "person" | "key" | "grant" | "operator" | "command_line" | "automation" | "system";
                    user_agent: string | null;
                };
                created_at: string;
                id: string;
                target: {
                    id: string | null;
                    type: string;
                } | null;
            };
            test?: boolean;
            truncated?: boolean;
            type: "audit.recorded";
        };
        Automation: {
            class: "transactional" | "bulk";
            connections: components["schemas"]["AutomationConnection"][];
            created_at: string;
            disabled_reason: string | null;
            held_at: string | null;
            held_contact_id: string | null;
            id: string;
            max_runs_per_contact: number | null;
            name: string;
            object: "automation";
            reentry: "always" | "once" | "not_while_running";
            status: "enabled" | "disabled";
            steps: components["schemas"]["AutomationStep"][];
            stopped_at: string | null;
            updated_at: string;
            version: string;
        };
        AutomationConnection: {
            from: string;
            to: string;
            type: "default" | "condition_met" | "condition_not_met" | "timeout" | "event_received";
        };
        AutomationConnectionInput: {
            from: string;
            to: string;
            type?: ("default" | "condition_met" | "condition_not_met" | "timeout" | "event_received") | null;
        };
        AutomationCreate: {
            class?: ("transactional" | "bulk") | null;
            connections: components["schemas"]["AutomationConnectionInput"][];
            max_runs_per_contact?: number | null;
            name: string;
            reentry?: ("always" | "once" | "not_while_running") | null;
            status?: ("enabled" | "disabled") | null;
            steps: components["schemas"]["AutomationStep"][];
        };
        AutomationDeletion: {
            deleted: boolean;
            id: string;
            object: "automation";
        };
        AutomationDisabledEvent: {
            created_at: string;
            data: {
                id: string;
                name: string;
                reason: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "automation.disabled";
        };
        AutomationList: {
            data: components["schemas"]["AutomationSummary"][];
            has_more: boolean;
            object: "list";
        };
        AutomationMetrics: {
            automation_id: string;
            object: "automation_metrics";
            runs: {
                cancelled: number;
                completed: number;
                failed: number;
                running: number;
            };
            steps: {
                completed: number;
                entered: number;
                failed: number;
                key: string;
                met: number;
                not_met: number;
                running: number;
                skipped: number;
                timed_out: number;
                type: string;
                waiting: number;
            }[];
        };
        AutomationReference: {
            id: string;
            object: "automation";
        };
        AutomationRule: components["schemas"]["AutomationRuleAnd"] | components["schemas"]["AutomationRuleOr"] | components["schemas"]["AutomationRuleTest"];
        AutomationRuleAnd: {
            rules: components["schemas"]["AutomationRule"][];
            type: "and";
        };
        AutomationRuleEquality: {
            field: string;
            operator: "eq" | "neq";
            type: "rule";
            value: string | number | boolean | null;
        };
        AutomationRuleOr: {
            rules: components["schemas"]["AutomationRule"][];
            type: "or";
        };
        AutomationRuleOrder: {
            field: string;
            operator: "gt" | "gte" | "lt" | "lte";
            type: "rule";
            value: number | string;
        };
        AutomationRulePresence: {
            field: string;
            operator: "exists" | "is_empty";
            type: "rule";
            value?: null;
        };
        AutomationRuleTest: components["schemas"]["AutomationRuleEquality"] | components["schemas"]["AutomationRuleOrder"] | components["schemas"]["AutomationRuleText"] | components["schemas"]["AutomationRulePresence"];
        AutomationRuleText: {
            field: string;
            operator: "contains" | "starts_with" | "ends_with";
            type: "rule";
            value: string;
        };
        AutomationRun: {
            completed_at: string | null;
            contact_id: string;
            created_at: string;
            event: string;
            id: string;
            object: "automation_run";
            reason: string | null;
            started_at: string | null;
            status: "running" | "completed" | "failed" | "cancelled";
            steps: components["schemas"]["AutomationRunStep"][];
        };
        AutomationRunList: {
            data: components["schemas"]["AutomationRunSummary"][];
            has_more: boolean;
            object: "list";
        };
        AutomationRunStep: {
            completed_at: string | null;
            created_at: string;
            error: {
                [key: string]: unknown;
            } | null;
            key: string;
            output: {
                [key: string]: unknown;
            } | null;
            started_at: string | null;
            status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped";
            type: "trigger" | "send_email" | "delay" | "wait_for_event" | "condition" | "contact_update" | "contact_delete" | "add_to_segment";
            waits_until: string | null;
        };
        AutomationRunSummary: {
            completed_at: string | null;
            contact_id: string;
            created_at: string;
            id: string;
            reason: string | null;
            started_at: string | null;
            status: "running" | "completed" | "failed" | "cancelled";
        };
        AutomationSimulate: {
            connections?: components["schemas"]["AutomationConnectionInput"][] | null;
            contact_id?: string | null;
            email?: string | null;
            events?: {
                after: string;
                event: string;
                payload?: {
                    [key: string]: unknown;
                } | null;
            }[] | null;
            payload?: {
                [key: string]: unknown;
            } | null;
            steps?: components["schemas"]["AutomationStep"][] | null;
        };
        AutomationSimulation: {
            automation_id: string;
            emails: {
                from: string;
                html: string | null;
                reply_to: string[];
                sent_at: string;
                step: string;
                subject: string;
                text: string | null;
                to: string;
            }[];
            object: "automation_simulation";
            reason: string | null;
            status: "running" | "completed" | "failed" | "cancelled";
            steps: {
                completed_at: string | null;
                error: string | null;
                key: string;
                output: {
                    [key: string]: unknown;
                } | null;
                started_at: string;
                status: "running" | "waiting" | "completed" | "failed" | "skipped";
                type: string;
                waits_until: string | null;
            }[];
        };
        AutomationStep: components["schemas"]["AutomationStepTrigger"] | components["schemas"]["AutomationStepSendEmail"] | components["schemas"]["AutomationStepDelay"] | components["schemas"]["AutomationStepWaitForEvent"] | components["schemas"]["AutomationStepCondition"] | components["schemas"]["AutomationStepContactUpdate"] | components["schemas"]["AutomationStepContactDelete"] | components["schemas"]["AutomationStepAddToSegment"];
        AutomationStepAddToSegment: {
            config: {
                segment_id: string;
            };
            key: string;
            type: "add_to_segment";
        };
        AutomationStepCondition: {
            config: components["schemas"]["AutomationRule"];
            key: string;
            type: "condition";
        };
        AutomationStepContactDelete: {
            config: Record<string, never>;
            key: string;
            type: "contact_delete";
        };
        AutomationStepContactUpdate: {
            config: {
                first_name?: string | null | {
                    var: string;
                };
                last_name?: string | null | {
                    var: string;
                };
                properties?: {
                    [key: string]: string | number | boolean | null | {
                        var: string;
                    };
                } | null;
                unsubscribed?: boolean | {
                    var: string;
                } | null;
            };
            key: string;
            type: "contact_update";
        };
        AutomationStepDelay: {
            config: {
                duration: string;
            };
            key: string;
            type: "delay";
        };
        AutomationStepSendEmail: {
            config: {
                from?: string | null;
                reply_to?: string | null;
                subject?: string | null;
                template: {
                    id: string;
                    variables?: {
                        [key: string]: string | number | boolean | {
                            [key: string]: string | number | boolean;
                        } | (string | number | boolean | {
                            [key: string]: string | number | boolean;
                        })[];
                    } | null;
                };
                topic_id?: string | null;
            };
            key: string;
            type: "send_email";
        };
        AutomationStepTrigger: {
            config: {
                event_name: string;
            };
            key: string;
            type: "trigger";
        };
        AutomationStepWaitForEvent: {
            config: {
                event_name: string;
                filter_rule?: components["schemas"]["AutomationRule"] | null;
                timeout?: string | null;
            };
            key: string;
            type: "wait_for_event";
        };
        AutomationStopped: {
            cancelled_runs: number;
            id: string;
            object: "automation";
            status: "enabled" | "disabled";
        };
        AutomationSummary: {
            created_at: string;
            disabled_reason: string | null;
            held_at: string | null;
            id: string;
            name: string;
            status: "enabled" | "disabled";
            updated_at: string;
        };
        AutomationUpdate: {
            class?: "transactional" | "bulk";
            connections?: components["schemas"]["AutomationConnectionInput"][];
            expected_version?: string | null;
            max_runs_per_contact?: number | null;
            name?: string;
            reentry?: "always" | "once" | "not_while_running";
            status?: "enabled" | "disabled";
            steps?: components["schemas"]["AutomationStep"][];
        };
        BatchError: {
            index: number;
            message: string;
            name: "application_error" | "confirmation_required" | "daily_quota_exceeded" | "gone" | "invalid_access" | "invalid_access_token" | "invalid_api_key" | "invalid_idempotency_key" | "invalid_idempotent_request" | "invalid_link" | "invalid_permission" | "method_not_allowed" | "missing_api_key" | "monthly_quota_exceeded" | "not_found" | "rate_limit_exceeded" | "restricted_api_key" | "service_unavailable" | "validation_error";
        };
        Broadcast: {
            audience_id: string;
            content_document: components["schemas"]["ContentDocument"] | null;
            counts: components["schemas"]["BroadcastCounts"];
            created_at: string;
            from: string;
            html: string | null;
            id: string;
            name: string;
            object: "broadcast";
            preview_text: string | null;
            rate_per_hour: number | null;
            reply_to: string | null;
            scheduled_at: string | null;
            segment_id: string;
            sent_at: string | null;
            status: "draft" | "scheduled" | "queued" | "paused" | "sent" | "canceled";
            status_reason: string | null;
            subject: string;
            text: string | null;
            timezone?: string;
            topic_id: string | null;
            version: string;
        };
        BroadcastAudienceCount: {
            excluded: components["schemas"]["BroadcastExclusions"] | null;
            id: string;
            is_exact: boolean;
            object: "broadcast_audience";
            recipients: number;
        };
        BroadcastChecks: {
            data: components["schemas"]["MailCheck"][];
            html_bytes: number | null;
            id: string;
            object: "broadcast_checks";
        };
        BroadcastCounts: {
            bounced: number;
            canceled: number;
            clicked: number;
            complained: number;
            delivered: number;
            failed: number;
            opened: number;
            recipients: number;
            sent: number;
            suppressed: number;
            unsubscribed: number;
        };
        BroadcastCreate: {
            audience_id?: string | null;
            content_document?: components["schemas"]["ContentDocument"] | null;
            from: string;
            html?: string | null;
            name?: string | null;
            preview_text?: string | null;
            rate_per_hour?: number | null;
            reply_to?: string | string[] | null;
            scheduled_at?: string | null;
            segment_id?: string | null;
            send?: boolean | null;
            subject: string;
            text?: string | null;
            timezone?: string | null;
            topic_id?: string | null;
        };
        BroadcastDeletion: {
            deleted: boolean;
            id: string;
            object: "broadcast";
        };
        BroadcastExclusions: {
            not_in_topic: number;
            suppressed: number;
            unsubscribed: number;
        };
        BroadcastList: {
            data: components["schemas"]["BroadcastSummary"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        BroadcastPreviewed: {
            html: string | null;
            object: "broadcast_preview";
            preview_text: string | null;
            subject: string;
            text: string | null;
            warnings: string[];
        };
        BroadcastRecipient: {
            bounce_type?: "permanent" | "transient" | "undetermined";
            clicked_links?: {
                clicks: number;
                url: string;
            }[];
            contact_id: string | null;
            count?: number;
            email: string;
            id: string;
        };
        BroadcastRecipientFile: string;
        BroadcastRecipientList: {
            data: components["schemas"]["BroadcastRecipient"][];
            has_more: boolean;
            object: "list";
        };
        BroadcastReference: {
            id: string;
            object: "broadcast";
        };
        BroadcastSaved: {
            id: string;
            object: "broadcast";
            version?: string;
            warnings: string[];
        };
        BroadcastSend: {
            expected_version?: string | null;
            scheduled_at?: string | null;
            timezone?: string | null;
        };
        BroadcastSummary: {
            audience_id: string;
            created_at: string;
            id: string;
            name: string;
            rate_per_hour: number | null;
            scheduled_at: string | null;
            segment_id: string;
            sent_at: string | null;
            status: "draft" | "scheduled" | "queued" | "paused" | "sent" | "canceled";
            status_reason: string | null;
            timezone?: string;
            topic_id: string | null;
        };
        BroadcastTest: {
            contact?: string | null;
            to: string | string[];
        };
        BroadcastTested: {
            emails: {
                id: string;
            }[];
            id: string;
            object: "broadcast";
        };
        BroadcastUnscheduledEvent: {
            created_at: string;
            data: {
                id: string;
                name: string;
                reason: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "broadcast.unscheduled";
        };
        BroadcastUpdate: {
            audience_id?: string;
            autosave?: boolean;
            content_document?: components["schemas"]["ContentDocument"] | null;
            expected_version?: string | null;
            from?: string;
            html?: string | null;
            name?: string;
            preview_text?: string | null;
            rate_per_hour?: number | null;
            reply_to?: string | string[] | null;
            segment_id?: string;
            subject?: string;
            text?: string | null;
            topic_id?: string | null;
        };
        BroadcastVersionContent: {
            author: string | null;
            content_document: components["schemas"]["ContentDocument"] | null;
            created_at: string;
            from: string;
            html: string | null;
            id: string;
            is_current: boolean;
            object: "broadcast_version";
            preview_text: string | null;
            reply_to: string | null;
            restored_from: string | null;
            subject: string;
            text: string | null;
        };
        BroadcastVersionList: {
            data: components["schemas"]["BroadcastVersionSummary"][];
            has_more: boolean;
            object: "list";
        };
        BroadcastVersionSummary: {
            author: string | null;
            created_at: string;
            from: string;
            id: string;
            is_current: boolean;
            preview_text: string | null;
            reply_to: string | null;
            restored_from: string | null;
            subject: string;
        };
        ClickedLink: {
            clicks: number;
            id: string;
            unique_clicks: number;
            url: string;
        };
        ClickedLinkList: {
            data: components["schemas"]["ClickedLink"][];
            has_more: boolean;
            object: "list";
        };
        Confirmation: {
            code: string;
        };
        ConfirmationAsked: {
            expires_at: string;
            object: "confirmation";
        };
        Contact: {
            created_at: string;
            email: string;
            first_name: string | null;
            id: string;
            last_name: string | null;
            object: "contact";
            properties: {
                [key: string]: {
                    type: "string" | "number";
                    value: string | number;
                };
            };
            unsubscribed: boolean;
        };
        ContactCount: {
            contacts: number;
            is_exact: boolean;
            object: "contact_count";
        };
        ContactCountCreate: {
            contacts: components["schemas"]["ContactSelection"];
        };
        ContactCounts: {
            all_contacts: number;
            subscribers: number;
            unsubscribers: number;
        };
        ContactCreate: {
            audience_id?: string | null;
            email: string;
            first_name?: string | null;
            last_name?: string | null;
            properties?: {
                [key: string]: string | number | null;
            } | null;
            segments?: ({
                id: string;
            } | string)[] | null;
            topics?: components["schemas"]["TopicSubscription"][] | null;
            unsubscribed?: boolean | null;
        };
        ContactCreatedEvent: {
            created_at: string;
            data: {
                audience_id: string | null;
                created_at: string;
                email: string;
                first_name: string | null;
                id: string;
                last_name: string | null;
                segment_ids: string[];
                unsubscribed: boolean;
                updated_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "contact.created";
        };
        ContactDeletedEvent: {
            created_at: string;
            data: {
                audience_id: string | null;
                created_at: string;
                email: string;
                first_name: string | null;
                id: string;
                last_name: string | null;
                segment_ids: string[];
                unsubscribed: boolean;
                updated_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "contact.deleted";
        };
        ContactDeletion: {
            contact: string;
            deleted: boolean;
            id: string;
            object: "contact";
        };
        ContactDeliverability: {
            contact_id: string | null;
            email: string;
            gets_bulk_mail: boolean;
            gets_mail: boolean;
            object: "contact_deliverability";
            reasons: {
                advice: string;
                email_id: string | null;
                explanation: string;
                keeps_from: "all_mail" | "bulk_mail" | "broadcasts" | "topic";
                reason: "suppressed" | "not_a_contact" | "unsubscribed" | "opted_out" | "not_opted_in";
                remedy: {
                    body: {
                        [key: string]: unknown;
                    } | null;
                    method: string;
                    operation: string;
                    path: string;
                } | null;
                since: string | null;
                topic_id: string | null;
                topic_name: string | null;
            }[];
        };
        ContactEvent: {
            created_at: string;
            event: string;
            id: string;
            payload: {
                [key: string]: unknown;
            };
        };
        ContactEventList: {
            data: components["schemas"]["ContactEvent"][];
            has_more: boolean;
            object: "list";
        };
        ContactExport: {
            automation_runs: {
                automation_id: string;
                completed_at: string | null;
                event: string;
                heard: {
                    [key: string]: unknown;
                };
                id: string;
                outputs: {
                    [key: string]: unknown;
                };
                payload: {
                    [key: string]: unknown;
                };
                started_at: string;
                status: "running" | "completed" | "failed" | "cancelled";
            }[];
            contact: components["schemas"]["Contact"] | null;
            emails: {
                address: string;
                created_at: string;
                id: string;
                last_event: string;
                state: string;
                subject: string;
            }[];
            events: {
                created_at: string;
                data: {
                    [key: string]: unknown;
                };
                id: string;
                type: string;
            }[];
            exported_at: string;
            has_more_automation_runs: boolean;
            has_more_emails: boolean;
            has_more_events: boolean;
            has_more_sent_events: boolean;
            object: "contact_export";
            opt_outs: {
                all_since: string | null;
                topics: {
                    id: string;
                    since: string;
                }[];
            };
            segments: {
                added_at: string | null;
                id: string;
                name: string;
            }[];
            sent_events: components["schemas"]["ContactEvent"][];
            suppression: {
                created_at: string;
                id: string;
                origin: string;
                reason?: "soft_bounces";
                soft_bounces?: {
                    bounced_at: string;
                    email_id: string;
                }[];
                source_id: string | null;
            } | null;
            topics: {
                choice: ("opt_in" | "opt_out") | null;
                chosen_at: string | null;
                id: string;
                name: string;
                subscription: "opt_in" | "opt_out";
            }[];
            updated_at: string | null;
        };
        ContactFile: string;
        ContactImport: {
            completed_at: string | null;
            counts: components["schemas"]["ContactImportCounts"];
            created_at: string;
            encoding: "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";
            file_name: string | null;
            id: string;
            ignored_columns: string[];
            object: "contact_import";
            reason: string | null;
            report_url: string | null;
            status: "queued" | "in_progress" | "completed" | "failed" | "canceled";
        };
        ContactImportColumns: {
            email?: string | null;
            first_name?: string | null;
            last_name?: string | null;
            properties?: {
                [key: string]: {
                    column: string;
                    type?: ("string" | "number" | "boolean") | null;
                };
            } | null;
            unsubscribed?: string | null;
        };
        ContactImportCounts: {
            created: number;
            failed: number;
            skipped: number;
            total: number;
            updated: number;
        };
        ContactImportCreate: {
            column_map?: components["schemas"]["ContactImportColumns"];
            file: string;
            on_conflict?: "upsert" | "skip";
            segments?: {
                id: string;
            }[];
            topics?: components["schemas"]["TopicSubscription"][];
        };
        ContactImportList: {
            data: components["schemas"]["ContactImportSummary"][];
            has_more: boolean;
            object: "list";
        };
        ContactImportReference: {
            id: string;
            object: "contact_import";
        };
        ContactImportSummary: {
            completed_at: string | null;
            counts: components["schemas"]["ContactImportCounts"];
            created_at: string;
            file_name: string | null;
            id: string;
            object: "contact_import";
            status: "queued" | "in_progress" | "completed" | "failed" | "canceled";
        };
        ContactJob: {
            act: {
                property: string | null;
                segment_id: string | null;
                topic_id: string | null;
                type: "add_to_segment" | "remove_from_segment" | "opt_in" | "opt_out" | "unsubscribe" | "subscribe" | "set_property" | "unsuppress" | "delete";
                value: string | number | null;
            };
            completed_at: string | null;
            contacts: {
                all: boolean;
                broadcast_id: string | null;
                filter: components["schemas"]["SegmentFilter"] | null;
                ids_count: number | null;
                recipients: ("delivered" | "opened" | "not_opened" | "clicked" | "not_clicked" | "bounced" | "complained" | "unsubscribed" | "suppressed" | "failed") | null;
                search: string | null;
                segment_id: string | null;
            };
            counts: components["schemas"]["ContactJobCounts"];
            created_at: string;
            expected: number | null;
            id: string;
            object: "contact_job";
            reason: string | null;
            status: "queued" | "in_progress" | "completed" | "failed" | "canceled";
        };
        ContactJobCounts: {
            changed: number;
            refused: number;
            total: number;
            unchanged: number;
        };
        ContactJobCreate: {
            act: components["schemas"]["ActOnContacts"];
            contacts: components["schemas"]["ContactSelection"];
        };
        ContactJobList: {
            data: components["schemas"]["ContactJob"][];
            has_more: boolean;
            object: "list";
        };
        ContactJobRefusal: {
            email: string | null;
            id: string;
            reason: "not_found" | "opted_out" | "suppressed" | "too_many_segments";
        };
        ContactJobRefusalList: {
            data: components["schemas"]["ContactJobRefusal"][];
            has_more: boolean;
            object: "list";
        };
        ContactList: {
            data: components["schemas"]["ContactSummary"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        ContactMetrics: {
            data: {
                added: number;
                date: string;
                is_bounded: boolean;
                unsubscribed: number;
            }[];
            object: "contact_metrics";
        };
        ContactProperty: {
            created_at: string;
            fallback_value: string | number | null;
            id: string;
            key: string;
            object: "contact_property";
            type: "string" | "number";
        };
        ContactPropertyCreate: {
            fallback_value?: string | number | null;
            key: string;
            type: "string" | "number";
        };
        ContactPropertyDeletion: {
            deleted: boolean;
            id: string;
            object: "contact_property";
        };
        ContactPropertyList: {
            data: components["schemas"]["ContactPropertySummary"][];
            has_more: boolean;
            object: "list";
        };
        ContactPropertyReference: {
            id: string;
            object: "contact_property";
        };
        ContactPropertySummary: {
            created_at: string;
            fallback_value: string | number | null;
            id: string;
            key: string;
            type: "string" | "number";
        };
        ContactPropertyUpdate: {
            fallback_value: string | number | null;
        };
        ContactPropertyValues: {
            data: {
                value: string | number;
            }[];
            object: "contact_property_values";
        };
        ContactReference: {
            id: string;
            object: "contact";
        };
        ContactSegment: {
            created_at: string;
            has_filter: boolean;
            id: string;
            name: string;
            object: "segment";
        };
        ContactSegmentDeletion: {
            audienceId: string;
            contact_id: string;
            deleted: boolean;
            id: string;
            object: "contact_segment";
            segment_id: string;
        };
        ContactSegmentList: {
            data: components["schemas"]["ContactSegment"][];
            has_more: boolean;
            object: "list";
        };
        ContactSegmentReference: {
            contact_id: string;
            id: string;
            object: "contact_segment";
            segment_id: string;
        };
        ContactSelection: {
            all?: true | null;
            broadcast_id?: string | null;
            filter?: components["schemas"]["SegmentFilter"] | null;
            ids?: string[] | null;
            recipients?: ("delivered" | "opened" | "not_opened" | "clicked" | "not_clicked" | "bounced" | "complained" | "unsubscribed" | "suppressed" | "failed") | null;
            search?: string | null;
            segment_id?: string | null;
        };
        ContactSummary: {
            created_at: string;
            email: string;
            first_name: string | null;
            id: string;
            last_name: string | null;
            object: "contact";
            suppressed?: boolean;
            unsubscribed: boolean;
        };
        ContactTimeline: {
            data: components["schemas"]["ContactTimelineEntry"][];
            has_more: boolean;
            object: "list";
        };
        ContactTimelineEntry: {
            automation_id: string | null;
            automation_name: string | null;
            created_at: string;
            detail: {
                [key: string]: unknown;
            } | null;
            email_id: string | null;
            event: string | null;
            explanation: string | null;
            id: string;
            last_event: string | null;
            run_id: string | null;
            run_status: ("running" | "completed" | "failed" | "cancelled") | null;
            subject: string | null;
            topics: {
                id: string;
                subscription: "opt_in" | "opt_out";
            }[] | null;
            type: string;
            unsubscribed: boolean | null;
        };
        ContactTopic: {
            description: string | null;
            id: string;
            name: string;
            subscription: "opt_in" | "opt_out";
        };
        ContactTopicList: {
            data: components["schemas"]["ContactTopic"][];
            has_more: boolean;
            object: "list";
        };
        ContactTopicsReference: {
            contact_id: string;
            id: string;
            object: "contact_topics";
            topics: components["schemas"]["TopicSubscription"][];
        };
        ContactTopicsUpdate: components["schemas"]["TopicSubscription"][] | {
            topics: components["schemas"]["TopicSubscription"][];
        };
        ContactTopicsUpdatedEvent: {
            created_at: string;
            data: {
                email: string;
                topics: {
                    id: string;
                    subscription: "opt_in" | "opt_out";
                }[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "contact.topics.updated";
        };
        ContactUpdate: {
            email?: string;
            first_name?: string | null;
            last_name?: string | null;
            properties?: {
                [key: string]: string | number | null;
            };
            unsubscribed?: boolean;
        };
        ContactUpdatedEvent: {
            created_at: string;
            data: {
                audience_id: string | null;
                created_at: string;
                email: string;
                first_name: string | null;
                id: string;
                last_name: string | null;
                segment_ids: string[];
                unsubscribed: boolean;
                updated_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "contact.updated";
        };
        ContentDocument: {
            version: number;
        } & {
            [key: string]: unknown;
        };
        Deliverability: {
            checked_at: string;
            findings: {
                advice: string | null;
                check: "resolver" | "hostname" | "reverse" | "hello-spf" | "spf-include" | "port-25" | "relay" | "inbound" | "certificate" | "tracking" | "clock" | "blocklist" | "dmarc" | "receiving" | "tls-rpt" | "mta-sts";
                found: string;
                state: "problem" | "warning" | "unknown" | "ok" | "skipped";
                subject: string;
            }[];
            note: string | null;
            object: "deliverability";
            status: "problem" | "warning" | "unknown" | "ok" | "skipped";
        };
        DnsRecord: {
            found: string[];
            name: string;
            priority?: number;
            record: "SPF" | "DKIM" | "DMARC" | "Tracking" | "TrackingCAA" | "Receiving";
            status: "not_started" | "pending" | "verified" | "failed" | "temporary_failure";
            ttl: string;
            type: "MX" | "TXT" | "CNAME" | "CAA";
            value: string;
        };
        Domain: {
            capabilities: {
                receiving: "enabled" | "disabled";
                sending: "enabled" | "disabled";
            };
            checked_at: string | null;
            click_tracking: boolean;
            created_at: string;
            id: string;
            name: string;
            next_check_at: string | null;
            object: "domain";
            open_tracking: boolean;
            receiving_unproven_until?: string;
            recommended_records: components["schemas"]["DnsRecord"][];
            records: components["schemas"]["DnsRecord"][];
            region: "us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1";
            status: "not_started" | "pending" | "verified" | "partially_verified" | "partially_failed" | "failed";
            tls: "opportunistic" | "enforced";
            tracked: {
                clicks: boolean;
                opens: boolean;
            };
            tracking_subdomain: string | null;
        };
        DomainClaim: {
            blocked_reason: ("grace_period" | "recent_owner_activity" | "pending_scheduled_emails") | null;
            created_at: string;
            domain_id: string | null;
            expires_at: string;
            failure_reason: string | null;
            id: string;
            name: string;
            object: "domain_claim";
            record: components["schemas"]["DomainClaimRecord"];
            region: ("us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1") | null;
            status: "pending" | "verified" | "completed" | "blocked" | "expired" | "superseded" | "canceled" | "failed";
        };
        DomainClaimCreate: {
            click_tracking?: boolean | null;
            custom_return_path?: string | null;
            name: string;
            open_tracking?: boolean | null;
            region?: ("us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1") | null;
            tracking_subdomain?: string | null;
        };
        DomainClaimRecord: {
            name: string;
            ttl: "Auto";
            type: "TXT";
            value: string;
        };
        DomainCreate: {
            capabilities?: {
                receiving?: ("enabled" | "disabled") | null;
                sending?: ("enabled" | "disabled") | null;
            } | null;
            click_tracking?: boolean | null;
            custom_return_path?: string | null;
            name: string;
            open_tracking?: boolean | null;
            region?: ("us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1") | null;
            tls?: ("opportunistic" | "enforced") | null;
            tracking_subdomain?: string | null;
        };
        DomainCreatedEvent: {
            created_at: string;
            data: {
                capabilities: {
                    receiving: "enabled" | "disabled";
                    sending: "enabled" | "disabled";
                };
                created_at: string;
                id: string;
                name: string;
                records: {
                    name: string;
                    priority?: number;
                    record: "SPF" | "DKIM" | "DMARC" | "Tracking" | "TrackingCAA" | "Receiving MX";
                    status: "not_started" | "pending" | "verified" | "failed" | "temporary_failure";
                    ttl: string;
                    type: "MX" | "TXT" | "CNAME" | "CAA";
                    value: string;
                }[];
                region: "us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1";
                status: "not_started" | "pending" | "verified" | "partially_verified" | "partially_failed" | "failed";
            };
            test?: boolean;
            truncated?: boolean;
            type: "domain.created";
        };
        DomainDeletedEvent: {
            created_at: string;
            data: {
                capabilities: {
                    receiving: "enabled" | "disabled";
                    sending: "enabled" | "disabled";
                };
                created_at: string;
                id: string;
                name: string;
                records: {
                    name: string;
                    priority?: number;
                    record: "SPF" | "DKIM" | "DMARC" | "Tracking" | "TrackingCAA" | "Receiving MX";
                    status: "not_started" | "pending" | "verified" | "failed" | "temporary_failure";
                    ttl: string;
                    type: "MX" | "TXT" | "CNAME" | "CAA";
                    value: string;
                }[];
                region: "us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1";
                status: "not_started" | "pending" | "verified" | "partially_verified" | "partially_failed" | "failed";
            };
            test?: boolean;
            truncated?: boolean;
            type: "domain.deleted";
        };
        DomainDeletion: {
            deleted: boolean;
            id: string;
            object: "domain";
        };
        DomainDnsHost: {
            guide_url: string | null;
            id: string;
            name: string | null;
            name_servers: string[];
            object: "dns_host";
            zone: string;
        };
        DomainList: {
            data: components["schemas"]["DomainSummary"][];
            has_more: boolean;
            object: "list";
        };
        DomainReference: {
            id: string;
            object: "domain";
        };
        DomainSummary: {
            capabilities: {
                receiving: "enabled" | "disabled";
                sending: "enabled" | "disabled";
            };
            click_tracking: boolean;
            created_at: string;
            id: string;
            name: string;
            open_tracking: boolean;
            region: "us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1";
            status: "not_started" | "pending" | "verified" | "partially_verified" | "partially_failed" | "failed";
            tracked: {
                clicks: boolean;
                opens: boolean;
            };
        };
        DomainUpdate: {
            capabilities?: {
                receiving?: "enabled" | "disabled";
                sending?: "enabled" | "disabled";
            };
            click_tracking?: boolean;
            open_tracking?: boolean;
            tls?: "opportunistic" | "enforced";
            tracking_subdomain?: string;
        };
        DomainUpdatedEvent: {
            created_at: string;
            data: {
                capabilities: {
                    receiving: "enabled" | "disabled";
                    sending: "enabled" | "disabled";
                };
                created_at: string;
                id: string;
                name: string;
                records: {
                    name: string;
                    priority?: number;
                    record: "SPF" | "DKIM" | "DMARC" | "Tracking" | "TrackingCAA" | "Receiving MX";
                    status: "not_started" | "pending" | "verified" | "failed" | "temporary_failure";
                    ttl: string;
                    type: "MX" | "TXT" | "CNAME" | "CAA";
                    value: string;
                }[];
                region: "us-east-1" | "eu-west-1" | "sa-east-1" | "ap-northeast-1";
                status: "not_started" | "pending" | "verified" | "partially_verified" | "partially_failed" | "failed";
            };
            test?: boolean;
            truncated?: boolean;
            type: "domain.updated";
        };
        DomainZoneFile: {
            filename: string;
            id: string;
            object: "zone_file";
            text: string;
        };
        Download: {
            expires_at: string;
            object: "download";
            url: string;
        };
        DownloadCreation: {
            path: string;
        };
        Email: {
            bcc: string[];
            cc: string[];
            created_at: string;
            from: string;
            html: string | null;
            id: string;
            last_event: "bounced" | "canceled" | "clicked" | "complained" | "delivered" | "delivery_delayed" | "failed" | "opened" | "queued" | "scheduled" | "sent" | "suppressed";
            message_id: string;
            object: "email";
            reply_to: string[];
            scheduled_at: string | null;
            subject: string;
            tags: components["schemas"]["Tag"][];
            template_id: string | null;
            template_version_id: string | null;
            text: string | null;
            to: string[];
            topic_id: string | null;
            warnings?: string[];
        };
        EmailAttempt: {
            advice: string | null;
            code: number | null;
            duration_ms: number | null;
            enhanced_code: string | null;
            explanation: string | null;
            host: string | null;
            id: string;
            number: number;
            outcome: "open" | "delivered" | "delayed" | "bounced" | "failed" | "abandoned" | "unknown";
            recipient: string;
            started_at: string;
            text: string | null;
            tls: string | null;
        };
        EmailAttemptList: {
            data: components["schemas"]["EmailAttempt"][];
            has_more: boolean;
            object: "list";
        };
        EmailBatchSent: {
            data: components["schemas"]["EmailSent"][];
            errors?: components["schemas"]["BatchError"][];
        };
        EmailBouncedEvent: {
            created_at: string;
            data: {
                bounce: {
                    diagnosticCode: string[];
                    message: string;
                    subType: "General" | "NoEmail" | "MailboxFull" | "MessageTooLarge" | "ContentRejected" | "AttachmentRejected" | "Undetermined";
                    type: "Permanent" | "Transient" | "Undetermined";
                };
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.bounced";
        };
        EmailBreakdown: {
            by: "provider" | "tag";
            data: {
                bounce_rate: number;
                bounced: number;
                click_rate: number;
                clicked: number;
                complained: number;
                complaint_rate: number;
                delivered: number;
                delivery_rate: number;
                failed: number;
                name: string;
                open_rate: number;
                opened: number;
                recipients: number;
                sent: number;
                suppressed: number;
                value: string | null;
            }[];
            emails: number;
            is_complete: boolean;
            object: "email_breakdown";
        };
        EmailClickedEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                click: {
                    ipAddress?: string;
                    link: string;
                    timestamp: string;
                    userAgent: string;
                };
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                is_machine: boolean;
                machine_rule?: string;
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.clicked";
        };
        EmailComplainedEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                complaint?: {
                    type: string;
                    userAgent?: string;
                };
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.complained";
        };
        EmailDeliveredEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.delivered";
        };
        EmailDeliveryDelayedEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                code: number | null;
                created_at?: string;
                email_id: string;
                enhanced_code: string | null;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message: string;
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.delivery_delayed";
        };
        EmailEvent: {
            advice: string | null;
            created_at: string;
            detail: {
                [key: string]: unknown;
            } | null;
            explanation: string | null;
            id: string;
            to: string[];
            type: string;
        };
        EmailEventList: {
            data: components["schemas"]["EmailEvent"][];
            has_more: boolean;
            object: "list";
        };
        EmailFailedEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                failed: {
                    reason: string;
                };
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.failed";
        };
        EmailFile: string;
        EmailList: {
            data: components["schemas"]["EmailSummary"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        EmailMetrics: {
            data?: components["schemas"]["EmailMetricsRow"][];
            dimensions: ("period" | "domain" | "email" | "broadcast")[];
            end_date: string;
            granularity: "hourly" | "daily" | "weekly" | "monthly";
            metrics: string[];
            object: "metrics";
            start_date: string;
            totals: components["schemas"]["EmailMetricsTotals"];
        };
        EmailMetricsFile: string;
        EmailMetricsRow: {
            bounce_rate?: number;
            bounced?: number;
            bounced_permanent?: number;
            bounced_transient?: number;
            bounced_undetermined?: number;
            broadcast_id?: string;
            broadcast_name?: string | null;
            click_rate?: number;
            clicked?: number;
            complained?: number;
            complaint_rate?: number;
            delivered?: number;
            delivery_delayed?: number;
            delivery_rate?: number;
            domain_id?: string | null;
            domain_name?: string;
            email_id?: string;
            failed?: number;
            open_rate?: number;
            opened?: number;
            period?: string;
            received?: number;
            sent?: number;
            suppressed?: number;
            unique_clicked?: number;
            unique_opened?: number;
            unsubscribe_rate?: number;
            unsubscribed?: number;
        };
        EmailMetricsTotals: {
            bounce_rate?: number;
            bounced?: number;
            bounced_permanent?: number;
            bounced_transient?: number;
            bounced_undetermined?: number;
            click_rate?: number;
            clicked?: number;
            complained?: number;
            complaint_rate?: number;
            delivered?: number;
            delivery_delayed?: number;
            delivery_rate?: number;
            failed?: number;
            open_rate?: number;
            opened?: number;
            received?: number;
            sent?: number;
            suppressed?: number;
            unique_clicked?: number;
            unique_opened?: number;
            unsubscribe_rate?: number;
            unsubscribed?: number;
        };
        EmailOpenedEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                is_machine: boolean;
                machine_rule?: string;
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.opened";
        };
        EmailReceivedEvent: {
            created_at: string;
            data: {
                attachments: {
                    content_disposition: ("inline" | "attachment") | null;
                    content_id: string | null;
                    content_type: string;
                    filename: string | null;
                    id: string;
                }[];
                bcc: string[];
                cc: string[];
                created_at: string;
                email_id: string;
                from: string | null;
                in_reply_to_email_id: string | null;
                message_id: string | null;
                received_for: string[];
                subject: string | null;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.received";
        };
        EmailReference: {
            id: string;
            object: "email";
        };
        EmailRelations: {
            answered: {
                from: string | null;
                id: string;
            } | null;
            automation_run: {
                automation_id: string;
                automation_name: string;
                id: string;
            } | null;
            broadcast: {
                id: string;
                name: string;
            } | null;
            contacts: {
                email: string;
                id: string;
            }[];
            id: string;
            is_submitted: boolean;
            object: "email_relations";
            replies: {
                from: string | null;
                id: string;
            }[];
            sent_by: components["schemas"]["EmailSender"] | null;
            template: {
                id: string;
                name: string;
            } | null;
            webhook_events: {
                created_at: string;
                endpoint: string | null;
                id: string;
                type: string;
                webhook_id: string;
            }[];
        };
        EmailScheduledEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                scheduled_at?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.scheduled";
        };
        EmailSend: {
            attachments?: components["schemas"]["AttachmentInput"][] | null;
            bcc?: string | string[] | null;
            cc?: string | string[] | null;
            from?: string | null;
            headers?: {
                [key: string]: string;
            } | null;
            html?: string | null;
            reply_to?: string | string[] | null;
            scheduled_at?: string | null;
            subject?: string | null;
            tags?: components["schemas"]["Tag"][] | null;
            template?: {
                id: string;
                variables?: {
                    [key: string]: string | number | boolean | {
                        [key: string]: unknown;
                    } | unknown[];
                } | null;
            } | null;
            text?: string | null;
            to: string | string[];
            topic_id?: string | null;
        };
        EmailSender: {
            id: string | null;
            name: string | null;
            type: "api_key" | "oauth_grant" | "person" | "automation" | "deleted" | "hidden";
        };
        EmailSent: {
            id: string;
        };
        EmailSentEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                subject?: string;
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.sent";
        };
        EmailShare: {
            expires_in?: string | null;
        };
        EmailShared: {
            id: string;
            object: "email";
            url: string;
        };
        EmailSource: {
            id: string;
            is_cut: boolean;
            object: "email_source";
            text: string;
        };
        EmailSummary: {
            bcc: string[];
            cc: string[];
            created_at: string;
            from: string;
            id: string;
            last_event: "bounced" | "canceled" | "clicked" | "complained" | "delivered" | "delivery_delayed" | "failed" | "opened" | "queued" | "scheduled" | "sent" | "suppressed";
            message_id: string;
            object: "email";
            reply_to: string[];
            scheduled_at: string | null;
            subject: string;
            to: string[];
            topic_id: string | null;
        };
        EmailSuppressedEvent: {
            created_at: string;
            data: {
                broadcast_id?: string;
                created_at?: string;
                email_id: string;
                from?: string;
                headers?: {
                    name: string;
                    value: string;
                }[];
                message_id?: string;
                subject?: string;
                suppressed: {
                    diagnosticCode: string[];
                    message: string;
                    reason: "previous_bounce" | "previous_complaint" | "manual";
                    type: "OnAccountSuppressionList";
                };
                tags?: {
                    [key: string]: string;
                };
                template_id?: string;
                to: string[];
            };
            test?: boolean;
            truncated?: boolean;
            type: "email.suppressed";
        };
        EmailUpdate: {
            scheduled_at: string;
        };
        Error: {
            message: string;
            name: "application_error" | "confirmation_required" | "daily_quota_exceeded" | "gone" | "invalid_access" | "invalid_access_token" | "invalid_api_key" | "invalid_idempotency_key" | "invalid_idempotent_request" | "invalid_link" | "invalid_permission" | "method_not_allowed" | "missing_api_key" | "monthly_quota_exceeded" | "not_found" | "rate_limit_exceeded" | "restricted_api_key" | "service_unavailable" | "validation_error";
            statusCode: number;
        };
        Event: {
            created_at: string;
            id: string;
            name: string;
            object: "event";
            schema: {
                [key: string]: "string" | "number" | "boolean" | "date";
            } | null;
            updated_at: string | null;
        };
        EventBatch: components["schemas"]["EventSend"][];
        EventBatchSent: {
            data: components["schemas"]["EventSent"][];
        };
        EventCreate: {
            name: string;
            schema?: {
                [key: string]: "string" | "number" | "boolean" | "date";
            } | null;
        };
        EventDeletion: {
            deleted: boolean;
            id: string;
            object: "event";
        };
        EventList: {
            data: components["schemas"]["EventSummary"][];
            has_more: boolean;
            object: "list";
        };
        EventReference: {
            id: string;
            object: "event";
        };
        EventSend: {
            contact_id?: string | null;
            email?: string | null;
            event: string;
            payload?: {
                [key: string]: unknown;
            } | null;
        };
        EventSent: {
            event: string;
            object: "event";
        };
        EventSummary: {
            created_at: string;
            id: string;
            name: string;
            schema: {
                [key: string]: "string" | "number" | "boolean" | "date";
            } | null;
            updated_at: string | null;
        };
        EventUpdate: {
            schema: {
                [key: string]: "string" | "number" | "boolean" | "date";
            } | null;
        };
        Health: {
            checks: {
                [key: string]: string;
            };
            free_bytes: number | null;
            is_ready: boolean;
            object: "health";
            partitions: {
                bytes: number;
                days: number;
                first: string;
                last: string;
                table: string;
            }[];
            versions: {
                [key: string]: string;
            };
            workers: {
                beats: number;
                deliveries: number;
                id: string;
            }[];
        };
        Image: {
            bytes: number;
            content_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            created_at: string;
            frames: number;
            height: number;
            id: string;
            name: string;
            object: "image";
            taken_down_at: string | null;
            taken_down_reason: string | null;
            url: string;
            width: number;
        };
        ImageCreate: {
            content: string;
            name?: string;
        };
        ImageDeletion: {
            deleted: true;
            id: string;
            object: "image";
            sent_broadcasts: number;
        };
        ImageList: {
            data: components["schemas"]["ImageSummary"][];
            has_more: boolean;
            object: "list";
        };
        ImageSummary: {
            bytes: number;
            content_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            created_at: string;
            frames: number;
            height: number;
            id: string;
            name: string;
            taken_down_at: string | null;
            taken_down_reason: string | null;
            url: string;
            width: number;
        };
        ImageTakedown: {
            reason: string;
            url: string;
        };
        ImageTakenDown: {
            id: string;
            object: "image";
            taken_down_at: string | null;
            taken_down_reason: string | null;
            team: {
                id: string;
                name: string;
            };
            url: string;
        };
        ImageWithUses: {
            bytes: number;
            content_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            created_at: string;
            frames: number;
            height: number;
            id: string;
            name: string;
            object: "image";
            sent_broadcasts: number;
            taken_down_at: string | null;
            taken_down_reason: string | null;
            templates: number;
            unsent_broadcasts: number;
            url: string;
            width: number;
        };
        Invitation: {
            created_at: string;
            email: string;
            expires_at: string;
            id: string;
            invited_by: string;
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        InvitationCreate: {
            email: string;
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        InvitationCreated: {
            created_at: string;
            email: string;
            expires_at: string;
            id: string;
            invited_by: string;
            object: "invitation";
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        InvitationDeletion: {
            deleted: boolean;
            id: string;
            object: "invitation";
        };
        InvitationList: {
            data: components["schemas"]["Invitation"][];
            has_more: boolean;
            object: "list";
        };
        LiveEvents: string;
        Log: {
            api_key: {
                id: string;
                name: string | null;
            } | null;
            created_at: string;
            endpoint: string;
            id: string;
            method: string;
            object: "log";
            person: {
                email: string | null;
                id: string;
            } | null;
            request_body: string | number | boolean | {
                [key: string]: unknown;
            } | unknown[] | null;
            request_body_truncated: boolean;
            response_body: string | number | boolean | {
                [key: string]: unknown;
            } | unknown[] | null;
            response_body_truncated: boolean;
            response_status: number;
            user_agent: string | null;
        };
        LogList: {
            data: components["schemas"]["LogSummary"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        LogMetrics: {
            counted_from: string | null;
            data: {
                client_errors: number;
                period: string;
                redirected: number;
                requests: number;
                server_errors: number;
                succeeded: number;
            }[];
            object: "log_metrics";
        };
        LogSummary: {
            api_key: {
                id: string;
                name: string | null;
            } | null;
            created_at: string;
            endpoint: string;
            id: string;
            method: string;
            person: {
                email: string | null;
                id: string;
            } | null;
            response_status: number;
            user_agent: string | null;
        };
        MailCheck: {
            about: string | null;
            code: string;
            level: "error" | "warning";
            message: string;
        };
        Me: {
            confirmed_until: string | null;
            email: string;
            id: string;
            installation: components["schemas"]["MyInstallation"];
            is_operator: boolean;
            name: string;
            object: "me";
            scopes: string[];
            team: components["schemas"]["MyTeam"] | null;
            teams: components["schemas"]["MyTeam"][];
        };
        Member: {
            created_at: string;
            email: string;
            id: string;
            name: string;
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        MemberChanged: {
            created_at: string;
            email: string;
            id: string;
            name: string;
            object: "member";
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        MemberDeletion: {
            api_keys: {
                id: string;
                name: string;
            }[];
            deleted: true;
            id: string;
            object: "member";
        };
        MemberList: {
            data: components["schemas"]["Member"][];
            has_more: boolean;
            object: "list";
        };
        MemberUpdate: {
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        MeUpdate: {
            name: string;
        };
        MyInstallation: {
            delivery: "capture" | "relay" | "direct";
            has_mail_hostname: boolean;
            has_mailed: boolean;
            tracked_by_default: {
                clicks: boolean;
                opens: boolean;
            };
        };
        MyTeam: {
            id: string;
            name: string;
            role: "owner" | "admin" | "developer" | "marketer" | "support" | "viewer";
        };
        MyTeamChoice: {
            team_id: string;
        };
        MyTeamDeletion: {
            deleted: boolean;
            id: string;
            object: "membership";
        };
        NewPasskeyCredential: {
            id: string;
            response: components["schemas"]["PasskeyAttestation"];
        };
        OAuthGrant: {
            allowed_by: {
                email: string;
                id: string;
                name: string;
            } | null;
            client: {
                logo_uri: string | null;
                name: string;
            };
            client_id: string;
            created_at: string;
            id: string;
            last_used_at: string | null;
            resource: string | null;
            revoked_at: string | null;
            revoked_reason: string | null;
            scopes: string[];
        };
        OAuthGrantList: {
            data: components["schemas"]["OAuthGrant"][];
            has_more: boolean;
            object: "list";
        };
        OAuthGrantRevocation: {
            id: string;
            object: "oauth_grant";
            revoked_at: string;
            revoked_reason: string;
        };
        OtherSessionsDeletion: {
            deleted: number;
            object: "sessions";
        };
        Overview: {
            attention: {
                id: string | null;
                kind: "service_restored" | "disk_full" | "relay_down" | "limit" | "reputation" | "domain" | "webhook" | "broadcast" | "contact_import" | "automation";
                name: string | null;
                reason: string;
                severity: "warning" | "failure";
                since: string | null;
            }[];
            attention_more: ("service_restored" | "disk_full" | "relay_down" | "limit" | "reputation" | "domain" | "webhook" | "broadcast" | "contact_import" | "automation")[];
            days: {
                bounced: number;
                complained: number;
                date: string;
                delivered: number;
                received: number;
            }[];
            first_steps: {
                first_email: {
                    from: string | null;
                    is_simulated: boolean;
                    subject: string;
                    text: string;
                    to: string;
                };
                has_api_key: boolean;
                has_domain: boolean;
                has_email: boolean;
                is_complete: boolean;
                verified_domain: string | null;
            } | null;
            last_7_days: components["schemas"]["OverviewCounts"];
            limits: {
                left: number;
                limit: number;
                period: "day" | "month";
                used: number;
            }[];
            object: "overview";
            previous_7_days: components["schemas"]["OverviewCounts"];
            queue: {
                destinations: {
                    count: number;
                    destination: string;
                }[];
                is_bounded: boolean;
                oldest_due_at: string | null;
                paused: number;
                ready: number;
                sending: number;
                waiting: number;
            };
            reputation: ("good" | "warning" | "bulk_paused" | "paused") | null;
            today: components["schemas"]["OverviewCounts"];
        };
        OverviewCounts: {
            bounced: number;
            complained: number;
            delivered: number;
            received: number;
        };
        Paces: {
            data: {
                connections: number;
                hosts: string;
                paused_until: string | null;
                slowed_at: string | null;
                updated_at: string;
            }[];
            object: "paces";
        };
        Passkey: {
            address: string;
            browser: string;
            created_at: string;
            host: string;
            id: string;
            is_usable: boolean;
            last_used_at: string | null;
            name: string;
        };
        PasskeyAssertion: {
            authenticatorData: string;
            clientDataJSON: string;
            signature: string;
            userHandle?: string | null;
        };
        PasskeyAttestation: {
            attestationObject: string;
            clientDataJSON: string;
            transports?: string[];
        };
        PasskeyConfirmation: {
            credential: components["schemas"]["PasskeyCredential"];
        };
        PasskeyCreate: {
            credential: components["schemas"]["NewPasskeyCredential"];
            name: string;
        };
        PasskeyCreationOptions: {
            expires_at: string;
            object: "passkey_options";
            options: {
                [key: string]: unknown;
            };
        };
        PasskeyCredential: {
            id: string;
            response: components["schemas"]["PasskeyAssertion"];
        };
        PasskeyDeletion: {
            deleted: boolean;
            id: string;
            object: "passkey";
        };
        PasskeyList: {
            data: components["schemas"]["Passkey"][];
            has_more: boolean;
            object: "list";
        };
        PasskeyRequestOptions: {
            expires_at: string;
            object: "passkey_options";
            options: {
                [key: string]: unknown;
            };
        };
        PendingDeliveries: {
            data: {
                due_at: string | null;
                recipient: string;
                state: "sending" | "waiting" | "paused";
            }[];
            object: "list";
        };
        Preview: {
            expires_at: string;
            has_remote_images: boolean;
            is_cut: boolean;
            object: "preview";
            url: string;
        };
        PreviewCreation: {
            email_id?: string;
            html: string;
            received_email_id?: string;
            remote_images: boolean;
        };
        Queue: {
            is_bounded: boolean;
            lane_count: number;
            lanes: {
                class: "transactional" | "bulk";
                destination: string;
                is_paused: boolean;
                leased: number;
                next_due_at: string | null;
                parked: number;
                ready: number;
                team: {
                    id: string;
                    name: string | null;
                };
                waiting: number;
            }[];
            object: "queue";
            oldest_due_seconds: number;
            pauses: {
                backup_at: string | null;
                class: ("transactional" | "bulk") | null;
                created_at: string;
                destination: string | null;
                id: string;
                team: {
                    id: string;
                    name: string | null;
                } | null;
            }[];
            total: {
                leased: number;
                parked: number;
                ready: number;
                waiting: number;
            };
            workers: number;
        };
        QueuePart: {
            all?: boolean;
            class?: "transactional" | "bulk";
            destination?: string;
            team_id?: string;
        };
        QuotaReachedEvent: {
            created_at: string;
            data: {
                limit: number;
                limit_name: "emails_per_day" | "emails_per_month";
                percent: number;
                resets_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "quota.reached";
        };
        QuotaWarningEvent: {
            created_at: string;
            data: {
                limit: number;
                limit_name: "emails_per_day" | "emails_per_month";
                percent: number;
                resets_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "quota.warning";
        };
        ReceivedAttachment: {
            content_disposition: ("inline" | "attachment") | null;
            content_id: string | null;
            content_type: string;
            download_url: string | null;
            expires_at: string | null;
            filename: string | null;
            id: string;
            object: "attachment";
            size: number;
        };
        ReceivedAttachmentItem: {
            content_disposition: ("inline" | "attachment") | null;
            content_id: string | null;
            content_type: string;
            download_url: string | null;
            expires_at: string | null;
            filename: string | null;
            id: string;
            size: number;
        };
        ReceivedAttachmentList: {
            data: components["schemas"]["ReceivedAttachmentItem"][];
            has_more: boolean;
            object: "list";
        };
        ReceivedEmail: {
            attachments: {
                content_disposition: ("inline" | "attachment") | null;
                content_id: string | null;
                content_type: string;
                filename: string | null;
                id: string;
                size: number;
            }[];
            authentication: {
                arc: "pass" | "fail" | "gray" | "processing_failed" | "unknown";
                dkim: "pass" | "fail" | "gray" | "processing_failed" | "unknown";
                dmarc: "pass" | "fail" | "gray" | "processing_failed" | "unknown";
                spf: "pass" | "fail" | "gray" | "processing_failed" | "unknown";
            } | null;
            bcc: string[];
            cc: string[];
            created_at: string;
            filter: {
                detail: string | null;
                name: "rspamd" | "clamd";
                score: number | null;
                verdict: "clean" | "spam" | "virus" | "not_checked";
            } | null;
            from: string | null;
            headers: {
                [key: string]: string;
            };
            html: string | null;
            html_format: "data_uri" | "cid";
            id: string;
            in_reply_to_email_id: string | null;
            is_auto_reply: boolean;
            message_id: string | null;
            object: "email";
            problem: string | null;
            raw: {
                download_url: string;
                expires_at: string;
            } | null;
            received_for: string[];
            reply_to: string[];
            sent_email_id: string | null;
            subject: string | null;
            text: string | null;
            to: string[];
        };
        ReceivedEmailDeletion: {
            deleted: boolean;
            id: string;
            object: "email";
        };
        ReceivedEmailList: {
            data: components["schemas"]["ReceivedEmailSummary"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        ReceivedEmailSummary: {
            attachments: {
                content_disposition: ("inline" | "attachment") | null;
                content_id: string | null;
                content_type: string;
                filename: string | null;
                id: string;
                size: number;
            }[];
            bcc: string[];
            cc: string[];
            created_at: string;
            from: string | null;
            id: string;
            message_id: string | null;
            problem: string | null;
            received_for: string[];
            reply_to: string[];
            subject: string | null;
            to: string[];
        };
        RecipientSegmentCreate: {
            name?: string | null;
            recipients: "delivered" | "opened" | "not_opened" | "clicked" | "not_clicked" | "bounced" | "complained" | "unsubscribed" | "suppressed" | "failed";
            segment_id?: string | null;
        };
        RecordUseList: {
            data: {
                id: string;
                name: string;
                type: string;
                use: string;
            }[];
            object: "list";
        };
        ReputationPausedEvent: {
            created_at: string;
            data: {
                bounced: number;
                complained: number;
                domain: string | null;
                period: "day" | "week";
                reason: string;
                sent: number;
                status: "good" | "warning" | "bulk_paused" | "paused";
            };
            test?: boolean;
            truncated?: boolean;
            type: "reputation.paused";
        };
        ReputationReleasedEvent: {
            created_at: string;
            data: {
                released_by: "operator" | "time";
                throttled: "bulk" | "all";
                throttled_until: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "reputation.released";
        };
        ReputationWarningEvent: {
            created_at: string;
            data: {
                bounced: number;
                complained: number;
                domain: string | null;
                period: "day" | "week";
                reason: string;
                sent: number;
                status: "good" | "warning" | "bulk_paused" | "paused";
            };
            test?: boolean;
            truncated?: boolean;
            type: "reputation.warning";
        };
        SavedView: {
            created_at: string;
            id: string;
            is_own: boolean;
            is_shared: boolean;
            name: string;
            object: "saved_view";
            page: string;
            query: string;
            updated_at: string;
        };
        SavedViewCreate: {
            is_shared?: boolean | null;
            name: string;
            page: string;
            query: string;
        };
        SavedViewDeletion: {
            deleted: boolean;
            id: string;
            object: "saved_view";
        };
        SavedViewList: {
            data: components["schemas"]["SavedView"][];
            has_more: boolean;
            object: "list";
        };
        SavedViewUpdate: {
            is_shared?: boolean;
            name?: string;
            query?: string;
        };
        SearchResults: {
            data: {
                created_at: string;
                id: string;
                parent_id: string | null;
                subtitle: string | null;
                title: string;
                type: string;
            }[];
            is_complete: boolean;
            object: "list";
        };
        Segment: {
            audience_id: string;
            created_at: string;
            filter: components["schemas"]["SegmentFilter"] | null;
            id: string;
            name: string;
            object: "segment";
        };
        SegmentCount: {
            contacts: number;
            is_exact: boolean;
            object: "segment_count";
        };
        SegmentCountCreate: {
            filter: components["schemas"]["SegmentFilter"];
        };
        SegmentCreate: {
            audience_id?: string | null;
            filter?: components["schemas"]["SegmentFilter"] | null;
            name: string;
        };
        SegmentCreated: {
            id: string;
            name: string;
            object: "segment";
        };
        SegmentDeletion: {
            deleted: boolean;
            id: string;
            object: "segment";
        };
        SegmentFilter: components["schemas"]["SegmentRuleAll"] | components["schemas"]["SegmentRuleAny"] | components["schemas"]["SegmentRuleNot"] | components["schemas"]["SegmentRuleText"] | components["schemas"]["SegmentRuleTextIsSet"] | components["schemas"]["SegmentRuleUnsubscribed"] | components["schemas"]["SegmentRuleCreation"] | components["schemas"]["SegmentRuleProperty"] | components["schemas"]["SegmentRulePropertyIsSet"] | components["schemas"]["SegmentRuleTopic"] | components["schemas"]["SegmentRuleSegment"];
        SegmentGrowth: {
            by: "joined" | "created";
            data: {
                added: number;
                date: string;
            }[];
            object: "segment_growth";
        };
        SegmentList: {
            data: components["schemas"]["SegmentSummary"][];
            has_more: boolean;
            object: "list";
        };
        SegmentMetrics: {
            counted_at: string;
            data: components["schemas"]["SegmentMetricsRow"][];
            has_more: boolean;
            object: "metrics";
            totals: components["schemas"]["ContactCounts"];
        };
        SegmentMetricsRow: {
            all_contacts: number | null;
            id: string;
            name: string;
            subscribers: number | null;
            unsubscribers: number | null;
        };
        SegmentReference: {
            id: string;
            object: "segment";
        };
        SegmentRemoval: {
            contacts_left: number;
            id: string;
            is_exact: boolean;
            object: "segment_removal";
        };
        SegmentRuleAll: {
            all: components["schemas"]["SegmentFilter"][];
        };
        SegmentRuleAny: {
            any: components["schemas"]["SegmentFilter"][];
        };
        SegmentRuleCreation: {
            field: "created_at";
            operator: "before" | "after";
            value: string;
        };
        SegmentRuleNot: {
            not: components["schemas"]["SegmentFilter"];
        };
        SegmentRuleProperty: {
            operator: "equals" | "not_equals" | "contains" | "not_contains" | "starts_with" | "ends_with" | "greater_than" | "greater_or_equal" | "less_than" | "less_or_equal";
            property: string;
            value: string | number;
        };
        SegmentRulePropertyIsSet: {
            operator: "is_set" | "is_not_set";
            property: string;
            value?: null;
        };
        SegmentRuleSegment: {
            member: boolean;
            segment: string;
        };
        SegmentRuleText: {
            field: "email" | "first_name" | "last_name";
            operator: "equals" | "not_equals" | "contains" | "not_contains" | "starts_with" | "ends_with";
            value: string;
        };
        SegmentRuleTextIsSet: {
            field: "email" | "first_name" | "last_name";
            operator: "is_set" | "is_not_set";
            value?: null;
        };
        SegmentRuleTopic: {
            subscription: "opt_in" | "opt_out";
            topic: string;
        };
        SegmentRuleUnsubscribed: {
            field: "unsubscribed";
            operator: "equals";
            value: boolean;
        };
        SegmentSummary: {
            audience_id: string;
            created_at: string;
            has_filter: boolean;
            id: string;
            name: string;
        };
        SegmentUpdate: {
            filter?: components["schemas"]["SegmentFilter"] | null;
            name?: string;
        };
        Session: {
            address: string;
            browser: string;
            created_at: string;
            expires_at: string;
            id: string;
            is_current: boolean;
            last_used_at: string;
            method: "link" | "identity_provider" | "passkey";
        };
        SessionDeletion: {
            deleted: boolean;
            id: string;
            object: "session";
        };
        SessionList: {
            data: components["schemas"]["Session"][];
            has_more: boolean;
            object: "list";
        };
        Suppression: {
            created_at: string;
            email: string;
            id: string;
            object: "suppression";
            origin: "bounce" | "complaint" | "manual";
            reason?: "soft_bounces";
            soft_bounces?: {
                bounced_at: string;
                email_id: string;
            }[];
            source_id: string | null;
        };
        SuppressionAddedEvent: {
            created_at: string;
            data: {
                created_at: string;
                email: string;
                id: string;
                origin: "bounce" | "complaint" | "manual";
                reason?: "soft_bounces";
                source_id: string | null;
            };
            test?: boolean;
            truncated?: boolean;
            type: "suppression.added";
        };
        SuppressionBatchCreate: {
            emails: string[];
        };
        SuppressionBatchCreated: {
            data: components["schemas"]["SuppressionReference"][];
        };
        SuppressionBatchDelete: {
            emails?: string[] | null;
            ids?: string[] | null;
        };
        SuppressionBatchDeletion: {
            data: components["schemas"]["SuppressionDeletion"][];
        };
        SuppressionCreate: {
            email: string;
        };
        SuppressionDeletion: {
            deleted: boolean;
            id: string;
            object: "suppression";
        };
        SuppressionList: {
            data: components["schemas"]["SuppressionSummary"][];
            has_more: boolean;
            object: "list";
            searched_to?: string;
        };
        SuppressionReference: {
            id: string;
            object: "suppression";
        };
        SuppressionRemovedEvent: {
            created_at: string;
            data: {
                created_at: string;
                email: string;
                id: string;
                origin: "bounce" | "complaint" | "manual";
                reason?: "soft_bounces";
                source_id: string | null;
            };
            test?: boolean;
            truncated?: boolean;
            type: "suppression.removed";
        };
        SuppressionSummary: {
            created_at: string;
            email: string;
            id: string;
            origin: "bounce" | "complaint" | "manual";
            reason?: "soft_bounces";
            source_id: string | null;
        };
        Tag: {
            name: string;
            value: string;
        };
        Team: {
            created_at: string;
            deleted_at: string | null;
            guard: "warn" | "bulk" | "all";
            id: string;
            name: string;
            object: "team";
            removal_at: string | null;
            reputation: "good" | "warning" | "bulk_paused" | "paused";
            reputation_reason: string | null;
            reputation_since: string | null;
            status: "active" | "suspended" | "deleted";
            suppresses_soft_bounces: boolean;
            suspended_at: string | null;
            suspended_reason: string | null;
        };
        TeamCreate: {
            name: string;
        };
        TeamDeletion: {
            deleted: true;
            deleted_at: string;
            id: string;
            object: "team";
            removal_at: string;
            removes: {
                api_keys: number;
                automations: number;
                broadcasts: number;
                contacts: number;
                domains: number;
                emails: number;
                received_emails: number;
                recipients_waiting: number;
                suppressions: number;
                templates: number;
                webhooks: number;
            };
        };
        TeamLimits: {
            broadcast_recipients: number | null;
            contacts: number | null;
            domains: number | null;
            emails_per_day: number | null;
            emails_per_month: number | null;
            object: "team_limits";
            stored_bytes: number | null;
            webhooks: number | null;
        };
        TeamLimitsUpdate: {
            broadcast_recipients?: number | null;
            contacts?: number | null;
            domains?: number | null;
            emails_per_day?: number | null;
            emails_per_month?: number | null;
            stored_bytes?: number | null;
            webhooks?: number | null;
        };
        TeamList: {
            data: components["schemas"]["TeamSummary"][];
            has_more: boolean;
            object: "list";
        };
        TeamSettings: {
            color: string | null;
            created_at: string;
            id: string;
            logo_id: string | null;
            logo_url: string | null;
            name: string;
            object: "team";
            receiving_domains: string[];
        };
        TeamSettingsUpdate: {
            color?: string | null;
            logo_id?: string | null;
            name?: string;
        };
        TeamSummary: {
            created_at: string;
            deleted_at: string | null;
            guard: "warn" | "bulk" | "all";
            id: string;
            name: string;
            removal_at: string | null;
            reputation: "good" | "warning" | "bulk_paused" | "paused";
            reputation_reason: string | null;
            reputation_since: string | null;
            status: "active" | "suspended" | "deleted";
            suppresses_soft_bounces: boolean;
            suspended_at: string | null;
            suspended_reason: string | null;
        };
        TeamSuspension: {
            reason: string;
        };
        TeamUpdate: {
            guard?: "warn" | "bulk" | "all";
            name?: string;
            suppresses_soft_bounces?: boolean;
        };
        Template: {
            alias: string | null;
            content_document: components["schemas"]["ContentDocument"] | null;
            created_at: string;
            current_version_id: string;
            from: string | null;
            has_unpublished_versions: boolean;
            html: string;
            id: string;
            name: string;
            object: "template";
            published_at: string | null;
            published_version_id: string | null;
            reply_to: string | null;
            status: "draft" | "published";
            subject: string | null;
            text: string | null;
            updated_at: string;
            variables: components["schemas"]["TemplateVariable"][];
        };
        TemplateChecks: {
            data: components["schemas"]["MailCheck"][];
            html_bytes: number | null;
            id: string;
            object: "template_checks";
        };
        TemplateCreate: {
            alias?: string | null;
            content_document?: components["schemas"]["ContentDocument"] | null;
            from?: string | null;
            html: string;
            name: string;
            reply_to?: string | string[] | null;
            subject?: string | null;
            text?: string | null;
            variables?: components["schemas"]["TemplateVariableInput"][] | null;
        };
        TemplateDeletion: {
            deleted: boolean;
            id: string;
            object: "template";
        };
        TemplateList: {
            data: components["schemas"]["TemplateSummary"][];
            has_more: boolean;
            object: "list";
        };
        TemplatePublish: {
            expected_version?: string | null;
        };
        TemplateReference: {
            id: string;
            object: "template";
        };
        TemplateRender: {
            variables?: {
                [key: string]: string | number | boolean | {
                    [key: string]: unknown;
                } | unknown[];
            } | null;
            version_id?: string | null;
        };
        TemplateRendered: {
            html: string;
            id: string;
            missing: string[];
            object: "template";
            subject: string | null;
            text: string | null;
            version_id: string;
        };
        TemplateSaved: {
            id: string;
            object: "template";
            version?: string;
            warnings: string[];
        };
        TemplateSummary: {
            alias: string | null;
            created_at: string;
            has_unpublished_versions: boolean;
            id: string;
            name: string;
            published_at: string | null;
            status: "draft" | "published";
            updated_at: string;
        };
        TemplateUpdate: {
            alias?: string | null;
            autosave?: boolean;
            content_document?: components["schemas"]["ContentDocument"] | null;
            expected_version?: string | null;
            from?: string | null;
            html?: string;
            name?: string;
            reply_to?: string | string[] | null;
            subject?: string | null;
            text?: string | null;
            variables?: components["schemas"]["TemplateVariableInput"][];
        };
        TemplateVariable: {
            created_at: string;
            fallback_value: string | number | boolean | {
                [key: string]: unknown;
            } | unknown[] | null;
            id: string;
            key: string;
            type: "string" | "number" | "boolean" | "object" | "list";
            updated_at: string;
        };
        TemplateVariableInput: {
            fallback_value?: string | number | boolean | {
                [key: string]: unknown;
            } | unknown[] | null;
            key: string;
            type: "string" | "number" | "boolean" | "object" | "list";
        };
        TemplateVersion: {
            author: string | null;
            content_document: components["schemas"]["ContentDocument"] | null;
            created_at: string;
            from: string | null;
            html: string;
            id: string;
            is_published: boolean;
            object: "template_version";
            published_at: string | null;
            reply_to: string | null;
            restored_from: string | null;
            subject: string | null;
            text: string | null;
            variables: components["schemas"]["TemplateVariable"][];
        };
        TemplateVersionList: {
            data: components["schemas"]["TemplateVersionSummary"][];
            has_more: boolean;
            object: "list";
        };
        TemplateVersionSummary: {
            author: string | null;
            created_at: string;
            from: string | null;
            id: string;
            is_published: boolean;
            published_at: string | null;
            reply_to: string | null;
            restored_from: string | null;
            subject: string | null;
        };
        Throughput: {
            data: {
                bounced: number;
                delayed: number;
                delivered: number;
                received: number;
                sent: number;
                start: string;
            }[];
            object: "throughput";
        };
        Topic: {
            created_at: string;
            default_subscription: "opt_in" | "opt_out";
            description: string | null;
            id: string;
            name: string;
            object: "topic";
            visibility: "public" | "private";
        };
        TopicCreate: {
            default_subscription: "opt_in" | "opt_out";
            description?: string | null;
            name: string;
            visibility?: ("public" | "private") | null;
        };
        TopicCreatedEvent: {
            created_at: string;
            data: {
                created_at: string;
                default_subscription: "opt_in" | "opt_out";
                deleted: boolean;
                description: string | null;
                id: string;
                name: string;
                updated_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "topic.created";
        };
        TopicDeletedEvent: {
            created_at: string;
            data: {
                created_at: string;
                default_subscription: "opt_in" | "opt_out";
                deleted: boolean;
                description: string | null;
                id: string;
                name: string;
                updated_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "topic.deleted";
        };
        TopicDeletion: {
            deleted: boolean;
            id: string;
            object: "topic";
        };
        TopicList: {
            data: components["schemas"]["TopicSummary"][];
            has_more: boolean;
            object: "list";
        };
        TopicReference: {
            id: string;
            object: "topic";
        };
        TopicSubscription: {
            id: string;
            subscription: "opt_in" | "opt_out";
        };
        TopicSummary: {
            created_at: string;
            default_subscription: "opt_in" | "opt_out";
            description: string | null;
            id: string;
            name: string;
            visibility: "public" | "private";
        };
        TopicUpdate: {
            description?: string | null;
            name?: string;
            visibility?: "public" | "private";
        };
        TopicUpdatedEvent: {
            created_at: string;
            data: {
                created_at: string;
                default_subscription: "opt_in" | "opt_out";
                deleted: boolean;
                description: string | null;
                id: string;
                name: string;
                updated_at: string;
            };
            test?: boolean;
            truncated?: boolean;
            type: "topic.updated";
        };
        UnsubscribeLink: {
            id: string | null;
            object: "contact";
            url: string;
        };
        Usage: {
            ai_credits: {
                limit: number | null;
                next_increase_at: string | null;
                used: number;
            };
            automation_runs: {
                limit: number | null;
                resets_at: string;
                used: number;
            };
            broadcast_recipients: {
                limit: number | null;
            };
            broadcasts: {
                limit: number | null;
                used: number;
            };
            contacts: {
                limit: number | null;
                used: number;
            };
            domains: {
                limit: number | null;
                used: number;
            };
            emails: {
                daily: {
                    limit: number | null;
                    received: number;
                    resets_at: string;
                    sent: number;
                    used: number;
                };
                monthly: {
                    limit: number | null;
                    received: number;
                    resets_at: string;
                    sent: number;
                    used: number;
                };
            };
            object: "usage";
            rate_limit: {
                duration: string;
                limit: number | null;
            };
            reputation: {
                day: {
                    bounce_rate: number;
                    complaint_rate: number;
                    sent: number;
                    spam_traps: number;
                    unknown_user_rate: number;
                };
                reason: string | null;
                since: string | null;
                status: "good" | "warning" | "bulk_paused" | "paused";
                throttled_until: string | null;
                week: {
                    bounce_rate: number;
                    complaint_rate: number;
                    sent: number;
                    spam_traps: number;
                    unknown_user_rate: number;
                };
            };
            segments: {
                limit: number | null;
                used: number;
            };
            stored_bytes: {
                limit: number | null;
                used: number | null;
            };
            webhooks: {
                limit: number | null;
                used: number;
            };
        };
        Webhook: {
            concurrency: number;
            created_at: string;
            disabled_reason: string | null;
            endpoint: string | null;
            events: ("email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded")[];
            failing_since: string | null;
            id: string;
            last_failure_at: string | null;
            last_success_at: string | null;
            object: "webhook";
            ordered: boolean;
            signing_secret: string;
            status: "enabled" | "disabled";
        };
        WebhookAttempt: {
            duration_ms: number | null;
            error: string | null;
            http_status_code: number | null;
            id: string;
            outcome: "success" | "failure" | "unknown" | "running";
            response: string;
            sent_at: string;
        };
        WebhookAttemptList: {
            data: components["schemas"]["WebhookAttempt"][];
            has_more: boolean;
            object: "list";
        };
        WebhookCreate: {
            concurrency?: number | null;
            endpoint: string | null;
            events: ("email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded")[];
            ordered?: boolean | null;
        };
        WebhookCreated: {
            id: string;
            object: "webhook";
            signing_secret: string;
        };
        WebhookDeletion: {
            deleted: boolean;
            id: string;
            object: "webhook";
        };
        WebhookEvent: {
            created_at: string;
            failed_reason: string | null;
            held_by: string | null;
            id: string;
            next_attempt_at: string | null;
            object: "webhook_event";
            payload: components["schemas"]["WebhookPayload"] | null;
            status: "success" | "pending" | "failed" | "attempting";
            type: "email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded";
        };
        WebhookEventItem: {
            created_at: string;
            id: string;
            status: "success" | "pending" | "failed" | "attempting";
            type: "email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded";
        };
        WebhookEventList: {
            data: components["schemas"]["WebhookEventItem"][];
            has_more: boolean;
            object: "list";
        };
        WebhookEventReference: {
            id: string;
            object: "webhook_event";
        };
        WebhookFeed: {
            data: components["schemas"]["WebhookFeedEvent"][];
            has_more: boolean;
            next: string;
            object: "list";
        };
        WebhookFeedEvent: {
            created_at: string;
            id: string;
            payload: components["schemas"]["WebhookPayload"] | null;
            type: string;
        };
        WebhookList: {
            data: components["schemas"]["WebhookSummary"][];
            has_more: boolean;
            object: "list";
        };
        WebhookMetrics: {
            data: {
                failure: number;
                median_ms: number | null;
                period: string;
                slow_ms: number | null;
                success: number;
                unknown: number;
            }[];
            is_complete: boolean;
            object: "webhook_metrics";
            webhook_id: string;
        };
        WebhookPayload: {
            created_at: string;
            data: {
                [key: string]: unknown;
            };
            test?: boolean;
            truncated?: boolean;
            type: string;
        };
        WebhookReference: {
            id: string;
            object: "webhook";
        };
        WebhookReplay: {
            has_more: boolean;
            object: "webhook_replay";
            queued: number;
        };
        WebhookSummary: {
            created_at: string;
            endpoint: string | null;
            events: ("email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded")[];
            id: string;
            status: "enabled" | "disabled";
        };
        WebhookTest: {
            type: "email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded";
        };
        WebhookUpdate: {
            concurrency?: number;
            endpoint?: string;
            events?: ("email.scheduled" | "email.sent" | "email.delivered" | "email.delivery_delayed" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.failed" | "email.suppressed" | "email.received" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.topics.updated" | "topic.created" | "topic.updated" | "topic.deleted" | "domain.created" | "domain.updated" | "domain.deleted" | "automation.disabled" | "broadcast.unscheduled" | "quota.warning" | "quota.reached" | "reputation.warning" | "reputation.paused" | "reputation.released" | "suppression.added" | "suppression.removed" | "audit.recorded")[];
            ordered?: boolean;
            status?: "enabled" | "disabled";
        };
    };
    responses: {
        ApiKeyNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        AttachmentNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        AudienceNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        AuditLogEntryNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        AutomationNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        AutomationRunNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        BodyNotJson: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        BodyOrIdempotencyKeyInvalid: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        BodyTimeout: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        BodyTooLarge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        BroadcastNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ChangedMeanwhile: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ContactImportNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ContactJobNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ContactNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ContactPropertyNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        DomainNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        EmailNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        EventNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Gone: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        GrantNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        IdempotencyConflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ImageNotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        InUse: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        InvalidApiKey: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "www-authenticate": components["headers"]["www-authenticate"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        InvitationNotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        LogNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        MemberNotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        NoSuchEndpoint: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        NotAPerson: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        NotSignedIn: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        OperatorKeyInvalid: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        OperatorKeyMissing: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        PasskeyNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ReceivedEmailNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        SavedViewNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        SegmentNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ServiceUnavailable: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        SessionNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        SuppressionNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        TeamNotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        TemplateNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        TooManyOperatorKeys: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        TooManyRequests: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        TopicNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Unauthorized: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "www-authenticate": components["headers"]["www-authenticate"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        UnexpectedError: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        UnsupportedMediaType: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        VersionNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        WebhookNotFound: {
            headers: {
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        ratelimit: string;
        "ratelimit-limit": number;
        "ratelimit-policy": string;
        "ratelimit-remaining": number;
        "ratelimit-reset": number;
        "retry-after": number;
        "www-authenticate": string;
        "x-ignored-fields": string;
        "x-request-id": string;
        "x-warnings": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "api-keys.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "api-keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "api-keys.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ApiKeyNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "api-keys.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ApiKeyNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AudienceCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Audience"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AudienceNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.delete": {
        parameters: {
            query?: {
                unless_used?: boolean;
            };
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            409: components["responses"]["InUse"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.contacts.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AudienceNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.contacts.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AudienceContactCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AudienceNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.contacts.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.contacts.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceContactDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audiences.contacts.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContactUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audit-log.list": {
        parameters: {
            query?: {
                action?: string;
                actor_id?: string;
                actor_type?: "person" | "key" | "grant" | "operator" | "command_line" | "automation" | "system";
                after?: string;
                before?: string;
                end_date?: string;
                format?: "json" | "csv" | "jsonl";
                limit?: number;
                start_date?: string;
                target_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "audit-log.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audit_log_entry_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogEntry"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AuditLogEntryNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                status?: "enabled" | "disabled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AutomationCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AutomationUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.metrics.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationMetrics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.runs.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                status?: ("running" | "completed" | "failed" | "cancelled")[];
            };
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRunList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.runs.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRun"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationRunNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.simulate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AutomationSimulate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationSimulation"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "automations.stop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationStopped"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AutomationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                end_date?: string;
                limit?: number;
                segment_id?: string;
                start_date?: string;
                status?: "draft" | "scheduled" | "queued" | "paused" | "sent" | "canceled";
                topic_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BroadcastCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastSaved"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BroadcastUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastSaved"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.audience.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastAudienceCount"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.checks.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastChecks"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.clicked-links.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClickedLinkList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.previews.retrieve": {
        parameters: {
            query?: {
                contact?: string;
            };
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastPreviewed"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.recipients.list": {
        parameters: {
            query: {
                after?: string;
                before?: string;
                bounce_type?: "permanent" | "transient" | "undetermined";
                email?: string;
                limit?: number;
                type: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "unsubscribed" | "suppressed" | "failed" | "canceled";
            };
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastRecipientList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.recipients.export": {
        parameters: {
            query: {
                type: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "unsubscribed" | "suppressed" | "failed" | "canceled";
            };
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["BroadcastRecipientFile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.segments.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecipientSegmentCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactJob"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.send": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BroadcastSend"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BroadcastTest"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastTested"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.versions.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                broadcast_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastVersionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["BroadcastNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.versions.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
                broadcast_version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastVersionContent"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["VersionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "broadcasts.versions.restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                broadcast_id: string;
                broadcast_version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastSaved"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["VersionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactPropertyList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactPropertyCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactPropertyReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_property_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactProperty"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactPropertyNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_property_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactPropertyDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactPropertyNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_property_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactPropertyUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactPropertyReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactPropertyNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.uses.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_property_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordUseList"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["ContactPropertyNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contact-properties.values.list": {
        parameters: {
            query?: {
                search?: string;
            };
            header?: never;
            path: {
                contact_property_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactPropertyValues"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactPropertyNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                search?: string;
                segment_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContactUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.deliverability.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactDeliverability"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.events.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactEventList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.export.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactExport"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.segments.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactSegmentList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.segments.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactSegmentReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.segments.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactSegmentDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.timeline.list": {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactTimeline"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.topics.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactTopicList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.topics.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactTopicsUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactTopicsReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.unsubscribe-link.retrieve": {
        parameters: {
            query?: {
                topic_id?: string;
            };
            header?: never;
            path: {
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeLink"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.counts.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactCountCreate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactCount"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.export": {
        parameters: {
            query?: {
                search?: string;
                segment_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["ContactFile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.imports.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                status?: "queued" | "in_progress" | "completed" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactImportList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.imports.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["ContactImportCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactImportReference"];
                };
            };
            400: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            415: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.imports.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_import_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactImport"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactImportNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.imports.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_import_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactImport"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactImportNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.jobs.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                status?: "queued" | "in_progress" | "completed" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactJobList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.jobs.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactJobCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactJob"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.jobs.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactJob"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactJobNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.jobs.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contact_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactJob"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactJobNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.jobs.refusals.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                contact_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactJobRefusalList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ContactJobNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "contacts.metrics.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactMetrics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.delete": {
        parameters: {
            query?: {
                unless_used?: boolean;
            };
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            409: components["responses"]["InUse"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DomainUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.claims.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainClaim"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.claims.verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainClaim"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.dns-host.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDnsHost"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.zone-file.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainZoneFile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["DomainNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "domains.claims.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainClaimCreate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainClaim"];
                };
            };
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainClaim"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "downloads.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DownloadCreation"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Download"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                broadcast_id?: string;
                end_date?: string;
                from?: string;
                limit?: number;
                start_date?: string;
                status?: "bounced" | "canceled" | "clicked" | "complained" | "delivered" | "delivery_delayed" | "failed" | "opened" | "queued" | "scheduled" | "sent" | "suppressed";
                subject?: string;
                tag?: string;
                template_id?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.send": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailSend"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailSent"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.attachments.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.attachments.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                attachment_id: string;
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AttachmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.attempts.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailAttemptList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.deliveries.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingDeliveries"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.events.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailEventList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.relations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailRelations"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.resend": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailSent"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            409: components["responses"]["IdempotencyConflict"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.share": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmailShare"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailShared"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EmailNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.source.retrieve": {
        parameters: {
            query?: {
                format?: "json" | "eml";
            };
            header?: never;
            path: {
                email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailSource"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["EmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.send-batch": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-batch-validation"?: "strict" | "permissive";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailSend"][];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailBatchSent"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.export": {
        parameters: {
            query?: {
                broadcast_id?: string;
                end_date?: string;
                from?: string;
                start_date?: string;
                status?: "bounced" | "canceled" | "clicked" | "complained" | "delivered" | "delivery_delayed" | "failed" | "opened" | "queued" | "scheduled" | "sent" | "suppressed";
                subject?: string;
                tag?: string;
                template_id?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["EmailFile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.metrics.retrieve": {
        parameters: {
            query?: {
                broadcast_id?: string[];
                dimensions?: ("period" | "domain" | "email" | "broadcast")[];
                domain_id?: string[];
                email_id?: string[];
                end_date?: string;
                granularity?: "hourly" | "daily" | "weekly" | "monthly";
                metrics?: ("received" | "sent" | "delivered" | "delivery_delayed" | "failed" | "suppressed" | "bounced" | "bounced_transient" | "bounced_permanent" | "bounced_undetermined" | "complained" | "opened" | "clicked" | "unique_opened" | "unique_clicked" | "unsubscribed" | "delivery_rate" | "bounce_rate" | "open_rate" | "click_rate" | "complaint_rate" | "unsubscribe_rate")[];
                start_date?: string;
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailMetrics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.metrics.breakdown.retrieve": {
        parameters: {
            query: {
                broadcast_id?: string;
                by: "provider" | "tag";
                end_date?: string;
                start_date?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailBreakdown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.metrics.export": {
        parameters: {
            query?: {
                broadcast_id?: string[];
                dimensions?: ("period" | "domain" | "email" | "broadcast")[];
                domain_id?: string[];
                email_id?: string[];
                end_date?: string;
                granularity?: "hourly" | "daily" | "weekly" | "monthly";
                metrics?: ("received" | "sent" | "delivered" | "delivery_delayed" | "failed" | "suppressed" | "bounced" | "bounced_transient" | "bounced_permanent" | "bounced_undetermined" | "complained" | "opened" | "clicked" | "unique_opened" | "unique_clicked" | "unsubscribed" | "delivery_rate" | "bounce_rate" | "open_rate" | "click_rate" | "complaint_rate" | "unsubscribe_rate")[];
                start_date?: string;
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": components["schemas"]["EmailMetricsFile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.receiving.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                from?: string;
                limit?: number;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedEmailList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.receiving.retrieve": {
        parameters: {
            query?: {
                html_format?: "data_uri" | "cid";
            };
            header?: never;
            path: {
                received_email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedEmail"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ReceivedEmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.receiving.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                received_email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedEmailDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ReceivedEmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.receiving.attachments.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                received_email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedAttachmentList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ReceivedEmailNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "emails.receiving.attachments.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                received_attachment_id: string;
                received_email_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceivedAttachment"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["AttachmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EventNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EventNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EventNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.uses.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordUseList"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["EventNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.send": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventSend"];
            };
        };
        responses: {
            202: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventSent"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "events.send-batch": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventBatch"];
            };
        };
        responses: {
            202: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventBatchSent"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "images.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "images.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "images.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                image_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageWithUses"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ImageNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "images.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                image_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ImageNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "invitations.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "invitations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "invitations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["InvitationNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "live.retrieve": {
        parameters: {
            query?: {
                team_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvents"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "logs.list": {
        parameters: {
            query?: {
                after?: string;
                api_key_id?: string;
                before?: string;
                end_date?: string;
                limit?: number;
                method?: "GET" | "POST" | "PATCH" | "DELETE" | "SMTP";
                path?: string;
                start_date?: string;
                status?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "logs.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Log"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["LogNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "logs.metrics.retrieve": {
        parameters: {
            query?: {
                span?: "day" | "week" | "month";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogMetrics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MeUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.confirmation.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmationAsked"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.confirmation.passkey.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.confirmation.passkey.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyConfirmation"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.confirmation.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.passkeys.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.passkeys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.passkeys.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                passkey_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyDeletion"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["PasskeyNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.passkeys.options.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.sessions.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.sessions.delete-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtherSessionsDeletion"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.sessions.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionDeletion"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["SessionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.team.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MyTeamChoice"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["TeamNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "me.teams.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyTeamDeletion"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "members.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "members.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["MemberNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberChanged"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["MemberNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "oauth-grants.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthGrantList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "oauth-grants.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                oauth_grant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthGrantRevocation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["GrantNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.deliverability.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliverability"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.health.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.images.stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageTakedown"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageTakenDown"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["ImageNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.paces.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paces"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.queue.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.queue.pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["QueuePart"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.queue.resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["QueuePart"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "operation.throughput.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Throughput"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "overview.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "previews.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewCreation"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "saved-views.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViewList"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "saved-views.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedViewCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "saved-views.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                saved_view_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViewDeletion"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["SavedViewNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "saved-views.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                saved_view_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SavedViewUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            404: components["responses"]["SavedViewNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "search.list": {
        parameters: {
            query: {
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SegmentCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.delete": {
        parameters: {
            query?: {
                unless_used?: boolean;
            };
            header?: never;
            path: {
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            409: components["responses"]["InUse"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SegmentUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.contacts.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.growth.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentGrowth"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SegmentNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.removal.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                segment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentRemoval"];
                };
            };
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["NotAPerson"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.counts.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SegmentCountCreate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentCount"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "segments.metrics.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentMetrics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "suppressions.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
                origin?: "bounce" | "complaint" | "manual";
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "suppressions.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuppressionCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "suppressions.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                suppression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SuppressionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "suppressions.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                suppression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["SuppressionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "suppressions.create-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuppressionBatchCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionBatchCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "suppressions.delete-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SuppressionBatchDelete"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionBatchDeletion"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "team.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamSettings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "team.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TeamSettingsUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamSettings"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["ImageNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamList"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            400: components["responses"]["BodyOrIdempotencyKeyInvalid"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["NoSuchEndpoint"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamDeletion"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TeamUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.invitations.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.invitations.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.invitations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitation_id: string;
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationDeletion"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["InvitationNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.limits.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamLimits"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.limits.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TeamLimitsUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamLimits"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.members.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.members.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member_id: string;
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberDeletion"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["MemberNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member_id: string;
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberChanged"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["MemberNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.release": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.suspend": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamSuspension"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "teams.usage.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            401: components["responses"]["OperatorKeyMissing"];
            403: components["responses"]["OperatorKeyInvalid"];
            404: components["responses"]["TeamNotFound"];
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyOperatorKeys"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateSaved"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.delete": {
        parameters: {
            query?: {
                unless_used?: boolean;
            };
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            409: components["responses"]["InUse"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TemplateUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateSaved"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.checks.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateChecks"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.publish": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TemplatePublish"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.render": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TemplateRender"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateRendered"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.versions.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TemplateNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.versions.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["VersionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "templates.versions.restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateSaved"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["VersionNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "topics.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "topics.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "topics.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TopicNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "topics.delete": {
        parameters: {
            query?: {
                unless_used?: boolean;
            };
            header?: never;
            path: {
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-warnings": components["headers"]["x-warnings"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TopicNotFound"];
            409: components["responses"]["InUse"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "topics.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TopicUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["TopicNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "usage.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeletion"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.events.list": {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                status?: "success" | "pending" | "failed" | "attempting";
            };
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.events.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_event_id: string;
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEvent"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EventNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.events.attempts.list": {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                webhook_event_id: string;
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAttemptList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EventNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.events.replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_event_id: string;
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventReference"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["EventNotFound"];
            410: components["responses"]["Gone"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.feed.list": {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                wait?: number;
            };
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookFeed"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            410: components["responses"]["Gone"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.metrics.retrieve": {
        parameters: {
            query?: {
                span?: "day" | "week" | "month";
            };
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookMetrics"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.replay": {
        parameters: {
            query?: {
                since?: string;
            };
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.signing-secret.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTest"];
            };
        };
        responses: {
            201: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-ignored-fields": components["headers"]["x-ignored-fields"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventReference"];
                };
            };
            400: components["responses"]["BodyNotJson"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidApiKey"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: {
                headers: {
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["UnexpectedError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "webhooks.receive.audit.recorded": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuditRecordedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.automation.disabled": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AutomationDisabledEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.broadcast.unscheduled": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BroadcastUnscheduledEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.contact.created": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactCreatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.contact.deleted": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactDeletedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.contact.topics.updated": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactTopicsUpdatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.contact.updated": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactUpdatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.domain.created": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainCreatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.domain.deleted": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainDeletedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.domain.updated": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainUpdatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.bounced": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailBouncedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.clicked": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailClickedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.complained": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailComplainedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.delivered": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailDeliveredEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.delivery-delayed": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailDeliveryDelayedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.failed": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailFailedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.opened": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailOpenedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.received": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailReceivedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.scheduled": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailScheduledEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.sent": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailSentEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.email.suppressed": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailSuppressedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.quota.reached": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaReachedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.quota.warning": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaWarningEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.reputation.paused": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReputationPausedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.reputation.released": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReputationReleasedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.reputation.warning": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReputationWarningEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.suppression.added": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuppressionAddedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.suppression.removed": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuppressionRemovedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.topic.created": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicCreatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.topic.deleted": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicDeletedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.receive.topic.updated": {
        parameters: {
            query?: never;
            header: {
                "svix-id": string;
                "svix-signature": string;
                "svix-timestamp": string;
                "webhook-id": string;
                "webhook-signature": string;
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicUpdatedEvent"];
            };
        };
        responses: {
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
