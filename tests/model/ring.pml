/* The ring's tail and pins (points 2 to 4 at the head of src/ring/ring.c), for every
 * interleaving of a producer, a consumer, and two owners of pins: one copies
 * everything there is, one fetches a record from anywhere.
 *
 * Positions count segments; a segment holds one record, and a slot of `content` is a
 * segment's bytes: which record it holds, or TORN while it is being written.
 * Every statement is one step that all see at once: the model assumes what
 * seq_cst promises for the four operations of point 3. What it does not assume: steps
 * may be as far apart as they like, and anybody may sleep anywhere.
 *
 * What must hold:
 *   - nobody reads a segment that is being written or was written over, although
 *     the producer does not heed pins below the tail;
 *   - an owner's retry means that the producer has filled an eighth of the ring
 *     meanwhile, so neither waits for the other and everything ends;
 *   - what was put is delivered, in order.
 *
 * Variants that must fail, so that the model is known to be able to:
 *   NO_RECHECK  an owner does not look at the tail again
 *   NO_LOOK     the producer does not look at the pins
 *   LOOK_FIRST  the producer looks before it publishes the tail
 *   NO_ROLLBACK the producer leaves the tail where a pin was in the way
 *   NO_ORDER    tail and pins wait in a store buffer while the loads behind them
 *               go ahead: what release and acquire would allow, and x86 does
 *   NO_READ     the producer does not wait for the consumer */

#define SEGMENTS 4
#define GUARD    1 /* an eighth, in whole segments */
#define OWNERS   2
#ifndef SENT
#define SENT     5 /* records behind those that fill the ring: more than a lap */
#endif
#ifndef ROUNDS
#define ROUNDS   1 /* of each owner */
#endif
#define NONE     99 /* a pin that holds nothing */
#define TORN     98

byte content[SEGMENTS];
byte head = SEGMENTS, read = SEGMENTS - 1, tail = 0;
byte pin[OWNERS] = NONE;
bool confirmed[OWNERS]; /* what only the checks may look at */
bool finished;

#ifdef NO_ORDER
byte tail_stored; /* in the writer's buffer, not yet seen by others */
byte pin_stored[OWNERS] = NONE;
#define TAIL_OWN      tail_stored
#define SET_TAIL(v)   tail_stored = v
#define SET_PIN(v)    pin_stored[me] = v
#define DRAIN_TAIL    tail = tail_stored
#define DRAIN_PIN     pin[me] = pin_stored[me]

active proctype buffers() /* drain in any order, at any time */
{
end:
    do
    :: atomic { tail != tail_stored -> tail = tail_stored }
    :: atomic { pin[0] != pin_stored[0] -> pin[0] = pin_stored[0] }
    :: atomic { pin[1] != pin_stored[1] -> pin[1] = pin_stored[1] }
    od
}
#else
#define TAIL_OWN      tail
#define SET_TAIL(v)   tail = v
#define SET_PIN(v)    pin[me] = v
#define DRAIN_TAIL    skip
#define DRAIN_PIN     skip
#endif

#define IN_THE_WAY(i) (pin[i] >= old && pin[i] < old + 1)

inline look_at_pins()
{
    i = 0;
    do
    :: atomic { has_room && i < OWNERS -> has_room = !IN_THE_WAY(i); i++ }
    :: atomic { else -> i = 0; break }
    od
}

inline move_tail()
{
#ifdef LOOK_FIRST
    look_at_pins();
    if
    :: has_room -> SET_TAIL(old + 1)
    :: else
    fi
#else
    SET_TAIL(old + 1);
#ifndef NO_LOOK
    look_at_pins();
#endif
    if
#ifndef NO_ROLLBACK
    :: !has_room -> SET_TAIL(old)
#endif
    :: else
    fi
#endif
}

proctype producer()
{
    byte old, i, sent;
    bool has_room;

    do
    :: sent < SENT ->
        atomic {
            sent++;
            old = TAIL_OWN;
            has_room = true
#ifndef NO_READ
            ; has_room = read >= old + 1
#endif
        }
        if
        :: has_room && head + 1 > old + SEGMENTS -> move_tail()
        :: else
        fi;
        if
        :: has_room || head + 1 <= TAIL_OWN + SEGMENTS ->
            DRAIN_TAIL;
            content[head % SEGMENTS] = TORN;
            atomic { content[head % SEGMENTS] = head; head++ }
        :: else /* lost */
        fi
    :: else -> break
    od;
    finished = true
}

proctype consumer()
{
    do
    :: atomic { read < head -> assert(content[read % SEGMENTS] == read) }
        read++
    :: atomic { finished && read == head -> break }
    od
}

/* Publishes, looks at the tail again. */
inline publish()
{
    SET_PIN(at);
#ifdef NO_RECHECK
    confirmed[me] = true
#else
    confirmed[me] = tail <= at
#endif
}

inline unpin()
{
    confirmed[me] = false;
    SET_PIN(NONE);
    DRAIN_PIN
}

proctype copier()
{
    byte me = 0, at, end, rounds;

    do
    :: rounds < ROUNDS ->
        rounds++;
        do
        :: at = tail;
            atomic {
                end = head;
                if
                :: end + GUARD > SEGMENTS + at -> at = end + GUARD - SEGMENTS
                :: else
                fi
            }
            publish();
            if
            :: confirmed[me] -> break
            :: else -> assert(head >= end + GUARD) /* the producer used what it was left */
            fi
        od;
        end = head;
        do
        :: at < end ->
            assert(content[at % SEGMENTS] == at);
            at++;
            DRAIN_PIN;
            SET_PIN(at)
        :: else -> break
        od;
        unpin();
        atomic { at = 0; end = 0 }
    :: else -> break
    od
}

proctype fetcher()
{
    byte me = 1, at, rounds;

    do
    :: rounds < ROUNDS ->
        rounds++;
        do
        :: atomic { at + 1 < head -> at++ }
        :: break
        od;
        publish();
        if
        :: confirmed[me] -> assert(content[at % SEGMENTS] == at)
        :: else
        fi;
        unpin();
        at = 0
    :: else -> break
    od
}

init {
    atomic {
        content[0] = 0;
        content[1] = 1;
        content[2] = 2;
        content[3] = 3;
        run producer();
        run consumer();
        run copier();
        run fetcher()
    }
}
