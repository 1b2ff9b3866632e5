// Questions about rendered objects.

export const kinds = (objects, kind) => objects.filter((object) => object.kind === kind);

export function one(objects, kind, nameEnd = '') {
    const found = kinds(objects, kind).filter((object) => object.metadata.name.endsWith(nameEnd));
    if (found.length !== 1) throw new Error(`${found.length} objects ${kind} *${nameEnd}, wanted one`);
    return found[0];
}

/** The pod template of an object that has one: {metadata, spec}. */
export function podOf(object) {
    switch (object.kind) {
        case 'Pod': return object;
        case 'Deployment':
        case 'StatefulSet': return object.spec.template;
        case 'CronJob': return object.spec.jobTemplate.spec.template;
        default: return undefined;
    }
}

/** Every pod of the objects: [{name, component, metadata, spec}]. */
export function podsOf(objects) {
    return objects.filter(podOf).map((object) => ({
        name: `${object.kind}/${object.metadata.name}`,
        component: podOf(object).metadata.labels['app.kubernetes.io/component'],
        ...podOf(object),
    }));
}

export const component = (objects, name) => podsOf(objects).filter((pod) => pod.component === name);

/** All containers of a pod, init containers too. */
export const containersOf = (pod) => [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];

/** The containers that run our own programs. */
export const ownContainersOf = (pod) => pod.spec.containers.filter((container) => container.command?.[0]?.startsWith('evalfleet'));

export const variable = (container, name) => container.env?.find((entry) => entry.name === name);

/** The names of Secrets that a pod can read, by any way. */
export function secretsOf(pod) {
    const names = new Set();
    JSON.stringify(pod.spec, (key, value) => {
        if (key === 'secretKeyRef' || key === 'secretRef') names.add(value.name);
        if (key === 'secret' && value) names.add(value.secretName ?? value.name);
        return value;
    });
    return names;
}

/** True if labels have everything that a selector wants. */
export const matches = (selector, labels) =>
    Object.entries(selector).every(([key, value]) => labels[key] === value);
