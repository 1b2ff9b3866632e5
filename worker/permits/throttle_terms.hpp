#pragma once

/// Constants of `ThrottleCeiling` that more than one of its files uses.
namespace evalfleet::worker::throttle {

// Windows
constexpr double kShortestWindowMs = 1'000;
constexpr double kFloodWindowMs = 400;
constexpr double kLongestRoundMs = 10'000;   // a window need not be longer, however long calls take
constexpr double kLongestWindowMs = 30'000;  // until then a window waits for
constexpr double kEnoughAnswers = 10;        // so many calls that were served
constexpr double kSettled = 1.5;             // times a typical call, until answers come
constexpr double kEnoughCalls = 20;          // in a window, to know its share
constexpr double kManyRefusals = 5;          // of fewer calls
constexpr double kFewRefusals = 3;           // fewer mean nothing
constexpr double kSuspicious = 2;            // evidence for too many refusals

// Shares of refusals: what is usual, and what is too high; of a rate that was learnt as well
constexpr double kUsualShare = 0.03;
constexpr double kHighShare = 0.08;
constexpr double kUsualShareOpen = 0.04;  // as long as no limit is known
constexpr double kHighShareOpen = 0.1;
constexpr double kFirstAlarm = 10;  // evidence
constexpr double kUsualSharePaced = 0.01;
constexpr double kHighSharePaced = 0.04;
constexpr double kManyRefused = 0.35;  // a share that is no chance where some are refused
constexpr double kLeastUsualShare = 0.01;
constexpr double kNoiseFades = 0.05;   // at most so much of it by one look,
constexpr double kNoiseCalls = 1'000;  // and about all by so many calls

// What a provider served
constexpr double kEnoughOfAMinute = 20;  // calls, to know its rate
constexpr double kSlowestRate = 0.2;     // calls a second
constexpr double kTypicalCalls = 20;     // by so many calls it is forgotten how long they took
constexpr double kMostUnseen = 1.3;      // times what was answered may have been under way
constexpr double kAllAnswered = 5;       // times a typical call, until answers come as calls go

// Rests
constexpr double kLongRestMs = 2'000;
constexpr double kLongestRestMs = 60'000;
constexpr double kShortBlock = 5;  // times a typical call
constexpr double kFirstBackoffMs = 500;
constexpr double kLongestBackoffMs = 5'000;

// The base and its probes
constexpr double kFirstStep = 0.05;
constexpr double kFewCalls = 16;            // at once: fewer are worth trying both kinds of limits
constexpr double kOneCall = 0.15;           // fewer cannot be limited by calls at once
constexpr double kLongestProbeMs = 90'000;  // longer than providers remember

}  // namespace evalfleet::worker::throttle
